"""What costs: streaks of pruning, many turns, broken calls (Context-1 report; the last one is ours).

Always true: every penalty is >= 0, never falls when there is more of what it punishes, and has a cap.
"""

from collections.abc import Sequence
from itertools import groupby


def prune_penalty(prune_only: Sequence[bool], *, cost: float = 0.1, free: int = 3, cap: float = 0.5) -> float:
    """p_prune = min(cap, cost * sum over streaks of max(0, length - free)).

    A streak is a maximal run of consecutive turns that hold only prune calls; it targets pruning one chunk a turn.
    """
    streaks = [len(list(turns)) for pruning, turns in groupby(prune_only) if pruning]
    return min(cap, cost * sum(max(0, length - free) for length in streaks))


def turn_penalty(turns: int, *, free: int = 64, full: int = 128, cap: float = 0.5) -> float:
    """p_turn: 0 up to `free` turns, then linear up to `cap` at `full`, and no further."""
    return cap * min(1.0, max(0.0, (turns - free) / (full - free)))


def malformed_penalty(malformed: int, *, cost: float = 0.1, cap: float = 0.3) -> float:
    """p_malformed = min(cap, cost * broken calls): a broken call costs, and never discards."""
    return min(cap, cost * malformed)
