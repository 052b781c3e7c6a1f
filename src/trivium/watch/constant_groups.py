"""Constant groups: in most groups all rewards are equal, so most of what is rolled out teaches nothing.

    dropped episodes / valid episodes, mean over the last 5 steps >= 0.5

Why a half: from there on more is paid for episodes that are thrown away than for those that are learned from. The
demo's healthy runs dropped at most an eighth over any 5 steps. The tasks have become too easy, too hard, or one reward
is all that the policy gets.
"""

from collections import defaultdict

from trivium.episode import Failed, Scored

from .finding import Finding
from .seen import Seen, begins

SHARE = 0.5


def constant_groups(seen: Seen) -> Finding | None:
    """A finding named ``constant_groups``; its evidence are members of this step's groups with equal rewards."""

    def share(ago: int) -> float | None:
        dropped, trained = seen.last("batch.episodes dropped", ago), seen.last("batch.episodes trained", ago)
        return None if not dropped or trained is None else dropped / (dropped + trained)

    if not begins(lambda ago: (share(ago) or 0.0) >= SHARE):
        return None
    constant = _constant(seen)
    text = f"{share(0):.0%} of the episodes are in groups whose rewards are all equal"
    return seen.finding("constant_groups", text, lambda episode: 0.0 if episode.group in constant else None)


def _constant(seen: Seen) -> set[str]:
    rewards: dict[str, set[float]] = defaultdict(set)
    for episode in seen.episodes:
        if isinstance(episode.outcome, Scored | Failed):
            rewards[episode.group].add(episode.outcome.reward)
    return {group for group, values in rewards.items() if len(values) == 1}
