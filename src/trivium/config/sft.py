"""[sft]: supervised learning before RL."""

from pydantic import Field

from .section import Section


class SftConfig(Section):
    """[sft] Supervised learning from the episodes of scripted experts."""

    episodes: int = Field(2000, ge=1, description="episodes that are recorded, drills included")
    minutes: float | None = Field(
        None, gt=0, description="learn at most this many minutes per command; the running round is completed"
    )
    lr: float = Field(
        1e-3,
        gt=0,
        description="learning rate; a cosine falls from it to a tenth, which it reaches when no episode is refused",
    )
    batch_episodes: int = Field(16, ge=1, description="episodes of an optimiser step")
    warmup: int = Field(20, ge=0, description="optimiser steps of linear warm-up")
    made_up: float = Field(0.0, ge=0, le=1, description="share of the episodes over disguised corpora")
    drills: float = Field(0.0, ge=0, lt=1, description="share of the episodes that are copy drills")
    stops_early: float = Field(0.4, ge=0, le=1, description="share of experts that stop after one search")
    prunes_badly: float = Field(0.4, ge=0, le=1, description="share of experts that prune at random")
