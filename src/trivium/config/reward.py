"""[reward]: the terms of Context-1."""

from pydantic import Field

from .section import Section


class RewardConfig(Section):
    """[reward] Context-1, term by term; see `trivium.reward`."""

    output: float = Field(0.7, ge=0, description="weight of F_beta on the output")
    trajectory: float = Field(0.3, ge=0, description="weight of trajectory recall; 0 is the ablation")
    answer: float = Field(1.0, ge=0, description="bonus when a chunk with the answer is cited")
    beta2_start: float = Field(16.0, gt=0, description="beta squared in the first epoch")
    beta2_end: float = Field(4.0, gt=0, description="beta squared in the last epoch")
    floor: float = Field(0.001, gt=0, description="eps: the least that a completed episode gets before costs")
    malformed: float = Field(
        0.1, ge=0, description="cost of a broken call: unreadable, unknown, or with wrong arguments"
    )
    malformed_cap: float = Field(0.3, ge=0, description="most that broken calls cost")
    turns_free: int = Field(64, ge=1, description="turns without penalty; it grows to 0.5 at twice as many")
