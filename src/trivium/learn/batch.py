"""Batches: the episodes of one learner step, their advantages and rows, and the denominator of the loss.

Always true: the denominator is fixed here, over the whole batch, before anything is sharded or cut into micro-batches;
so the gradient does not depend on how the batch is cut. Rewards, advantages and rows are joined by episode id alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

from trivium.episode import DataError, Episode

from .baselines import Baseline, OverGroup, rewards_by_group
from .segments import Cut, Segment, cut

Denominator: TypeAlias = Literal["trained", "action", "episodes", "constant"]
"""trained: trained tokens of the episodes that train. action: action tokens of all episodes, dropped groups included.
episodes: the episodes that train. constant: as many tokens for every episode, dropped groups included, whatever was
sampled (Dr. GRPO, arXiv 2503.20783, where it is the longest response)."""


@dataclass(frozen=True)
class Share:
    """What one episode brings: its rows, all with the same advantage."""

    episode: str
    advantage: float
    segments: tuple[Segment, ...]

    @property
    def trained(self) -> int:
        """Number of trained tokens."""
        return sum(segment.trained for segment in self.segments)


@dataclass(frozen=True)
class Batch:
    """The shares of one step; loss = sum over all trained tokens / `denominator`. `counts` says what stayed outside."""

    shares: tuple[Share, ...]
    denominator: float
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def trained(self) -> int:
        """Number of trained tokens."""
        return sum(share.trained for share in self.shares)

    def parts(self, count: int) -> "list[Batch]":
        """At most `count` disjoint parts of whole episodes, in order, each over its fair part of the denominator."""
        shares = [share for share in self.shares if share.trained]
        count = min(count, len(shares))
        edges = [len(shares) * k // count for k in range(count + 1)] if count else [0]
        parts = (tuple(shares[a:b]) for a, b in pairwise(edges))
        return [Batch(part, self.denominator / count) for part in parts]


def make_batch(
    episodes: Iterable[Episode],
    policy: str,
    *,
    baseline: Baseline | None = None,
    denominator: Denominator = "trained",
    episode_tokens: float | None = None,
) -> Batch:
    """The batch of scored (or failed) episodes for the learner of `policy`; without a `baseline`, the group mean's.

    `episode_tokens`: of the constant denominator, for every episode. A batch without any episode that trains is empty,
    not an error. Raises DataError as `cut`, `advantages` and `rewards_by_group` do.
    """
    episodes = list(episodes)
    groups = rewards_by_group(episodes)
    known = (baseline or OverGroup()).advantages(groups, {episode.group: episode.task.family for episode in episodes})
    rewarded = {episode for rewards in groups.values() for episode in rewards}
    cuts = {episode.id: cut(episode, policy) for episode in episodes if episode.id in rewarded}
    shares = tuple(Share(id, known.by_episode[id], cuts[id].segments) for id in cuts if id in known.by_episode)
    counts = _counts(cuts, shares)
    counts |= {"groups constant": len(known.constant), "groups of one": len(known.single)}
    return Batch(shares, _divisor(denominator, counts, episode_tokens), counts)


def _counts(cuts: dict[str, Cut], shares: Sequence[Share]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    counts["episodes trained"] = len(shares)
    counts["episodes dropped"] = len(cuts) - len(shares)
    counts["rows"] = sum(len(share.segments) for share in shares)
    counts["tokens trained"] = sum(share.trained for share in shares)
    counts["tokens action"] = sum(cut.trained for cut in cuts.values())
    for one in cuts.values():
        for reason, tokens in one.skipped.items():
            counts[f"tokens skipped, {reason}"] += tokens
    return dict(counts)


def _divisor(denominator: Denominator, counts: dict[str, int], episode_tokens: float | None) -> float:
    if denominator == "constant":
        if not episode_tokens or episode_tokens <= 0:
            raise DataError(
                f"the constant denominator has {episode_tokens} tokens for an episode; give a number above 0"
            )
        return episode_tokens * max(1, counts["episodes trained"] + counts["episodes dropped"])
    key = {"trained": "tokens trained", "action": "tokens action", "episodes": "episodes trained"}.get(denominator)
    if key is None:
        raise DataError(f"denominator {denominator!r} is unknown; choose trained, action, episodes or constant")
    return float(max(1, counts[key]))
