"""[budget]: what an episode may take."""

from pydantic import Field

from .section import Section


class BudgetConfig(Section):
    """[budget] In tokens; unset limits keep Context-1's ratios to the window."""

    window: int = Field(1024, ge=64, description="T: no context is ever longer")
    soft: int | None = Field(None, ge=1, description="prune or conclude above it (T/2)")
    hard: int | None = Field(None, ge=1, description="only pruning above it (soft + (T - soft)/2)")
    per_call: int | None = Field(None, ge=1, description="what one call returns at most (T/8)")
    reply: int | None = Field(None, ge=1, description="what one generation takes at most (T/8)")
    turns: int = Field(128, ge=1, description="actions of an episode at most")
    seconds: float = Field(600.0, gt=0, description="wall time of an episode at most; then it is scored as it stands")
    judge_seconds: float = Field(60.0, gt=0, description="wall time of its score at most; then it is drawn again")
