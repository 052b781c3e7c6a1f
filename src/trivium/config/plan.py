"""[plan]: what a dry run predicts for."""

from typing import Literal

from pydantic import Field

from .section import Section


class PlanConfig(Section):
    """[plan] What `--dry-run` predicts time and memory for; it changes nothing in a run."""

    accelerator: Literal["A100-80GB", "H100-80GB", "H200", "B200", "B300"] | None = Field(
        None, description="where the run is to be; unset: no prediction of time"
    )
    mfu: float = Field(0.35, gt=0, le=1, description="share of its dense bfloat16 peak that large passes reach")
    bandwidth: float = Field(0.5, gt=0, le=1, description="share of its memory bandwidth that sampling reaches")
    prunes: float = Field(1.0, ge=0, description="prunes of an episode: each has half a window read again")
