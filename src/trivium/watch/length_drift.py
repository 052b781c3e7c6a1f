"""Length drift: episodes say twice as much as they did, or half of it.

    mean sampled tokens over the last 5 steps >= 2 x, or <= 0.5 x, those over the first 5

Why a factor of 2: a policy that learns to search again rather than to give up grew by 1.4 to 1.6 in the demo's healthy
runs. Beyond it, length itself is being paid for (or fled from), and that is for a person to look at.
"""

from trivium.episode import Episode

from .finding import Finding
from .seen import Seen, begins

FACTOR = 2.0


def length_drift(seen: Seen) -> Finding | None:
    """A finding named ``length_drift``; its evidence are the longest episodes, or the shortest."""
    name = "tokens.sampled"

    def holds(ago: int) -> bool:
        first, last = seen.first(name, ago), seen.last(name, ago)
        return first is not None and last is not None and not first / FACTOR < last < first * FACTOR

    first, last = seen.first(name), seen.last(name)
    if first is None or last is None or not begins(holds):
        return None
    sign = 1 if last > first else -1
    text = f"episodes went from {first:.0f} to {last:.0f} sampled tokens"
    return seen.finding("length_drift", text, lambda episode: sign * _sampled(episode))


def _sampled(episode: Episode) -> int:
    return sum(len(node.tokens) - node.lead for node in episode.tree.actions())
