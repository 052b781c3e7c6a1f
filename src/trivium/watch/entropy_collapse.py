"""Entropy collapse: the policy stops trying other tokens, and the groups stop differing.

    mean entropy over the last 5 steps <= 0.25 of that over the first 5

Why a quarter: entropy falls in every run that learns; the demo's healthy runs ended at 0.6 to 0.8 of their start. Below
a quarter, nearly every token of a group is the same, and what is left to learn from is noise.
"""

from trivium.episode import Episode

from .finding import Finding
from .seen import Seen, begins

LEFT = 0.25


def entropy_collapse(seen: Seen) -> Finding | None:
    """A finding named ``entropy_collapse``; its evidence are the episodes that were surest of their tokens."""
    name = "learn.entropy"

    def holds(ago: int) -> bool:
        first, last = seen.first(name, ago), seen.last(name, ago)
        return first is not None and last is not None and last <= LEFT * first

    if not begins(holds):
        return None
    text = f"entropy fell from {seen.first(name):.3f} to {seen.last(name):.3f} nats a token"
    return seen.finding("entropy_collapse", text, _mean_logprob)


def _mean_logprob(episode: Episode) -> float | None:
    values = [value for node in episode.tree.actions() if node.sampled for value in node.sampled.logprobs]
    return sum(values) / len(values) if values else None
