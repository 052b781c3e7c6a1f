"""A harness: how an agent acts."""

from dataclasses import dataclass

from trivium.policy import Policy

from .editing import Pruning


@dataclass(frozen=True, slots=True)
class Harness:
    """The policy that decides, and the strategy (with the budget) that keeps its context small."""

    policy: Policy
    strategy: Pruning
