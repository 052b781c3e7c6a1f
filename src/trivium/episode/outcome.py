"""Outcomes and rewards: three ways in which an episode can end, never two.

Always true: *scored* and *failed* episodes have a reward and train; an *invalid* one (infrastructure) never has one and
is redrawn. Rewards are append-only events: a term may come days after the episode, and a later event of the same term
supersedes an earlier one without erasing it.
"""

import math
import time
from typing import TypeAlias

import msgspec


class Reward(msgspec.Struct, frozen=True):
    """One event: the `value` of a named `term`, who gave it (`source`) and when (`time`, Unix seconds)."""

    term: str
    value: float
    source: str = "rubric"
    time: float = msgspec.field(default_factory=time.time)

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"term {self.term} gave {self.value}: a reward is a finite number; fix the term")


class Scored(msgspec.Struct, frozen=True, tag="scored"):
    """The episode completed (running out of budget included); `reward` is the rubric's total."""

    reward: float
    answer: str = ""


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The agent's own error ended it; `reward` lies below that of every completed episode. Our own loop fails none."""

    reward: float
    reason: str


class Invalid(msgspec.Struct, frozen=True, tag="invalid"):
    """Infrastructure failed at `boundary` (engine, tool, sandbox, judge, store): counted, redrawn, never a reward."""

    boundary: str
    reason: str


Outcome: TypeAlias = Scored | Failed | Invalid
