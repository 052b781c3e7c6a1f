"""Baselines and advantages: over the episodes of a group, never over segments, turns or agents; no standard deviation.

    A_i = r_i - b_i        b_i = mean_j r_j (group mean)    or    mean_{j != i} r_j (leave one out)

A group whose rewards are all equal teaches nothing: it is dropped whole and counted, and enters no denominator but
those over all episodes. The third baseline, which needs no groups, is in running_mean.py.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from trivium.episode import ConfigError, DataError, Episode, Invalid

Groups: TypeAlias = Mapping[str, Mapping[str, float]]
"""Group -> episode -> reward."""
Compared: TypeAlias = Callable[[Sequence[float]], list[float]]
"""What each member of a group is compared with: `rewards_G` -> `baseline_G`."""

LARGEST = 1e12
"""No reward is larger: beyond it, gradients overflow in float32, whose squares end at 3e38."""


def group_mean(rewards_G: Sequence[float]) -> list[float]:
    """b_i = (1/G) sum_j r_j."""
    return [math.fsum(rewards_G) / len(rewards_G)] * len(rewards_G)


def leave_one_out(rewards_G: Sequence[float]) -> list[float]:
    """b_i = 1/(G-1) sum_{j != i} r_j: independent of r_i, so unbiased."""
    total, others = math.fsum(rewards_G), len(rewards_G) - 1
    return [(total - reward) / others for reward in rewards_G]


@dataclass(frozen=True)
class Advantages:
    """The advantage of every episode that trains, and the groups that left: constant ones, and those of one member."""

    by_episode: dict[str, float]
    constant: tuple[str, ...] = ()
    single: tuple[str, ...] = ()


class Baseline(Protocol):
    """What rewards are compared with."""

    @property
    def memory(self) -> dict[str, tuple[float, float]]:
        """What it remembers from batch to batch; a checkpoint keeps it."""
        ...

    def advantages(self, groups: Groups, families: Mapping[str, str]) -> Advantages:
        """The advantages of a batch, whose rewards it may then remember. `families`: group -> task family."""
        ...


@dataclass(frozen=True)
class OverGroup:
    """Compares inside each group, and remembers nothing."""

    compared: Compared = group_mean
    memory: dict[str, tuple[float, float]] = field(default_factory=dict)

    def advantages(self, groups: Groups, families: Mapping[str, str]) -> Advantages:
        """See the function of that name."""
        return advantages(groups, self.compared)


def rewards_by_group(episodes: Iterable[Episode]) -> dict[str, dict[str, float]]:
    """Group -> episode -> reward, keyed by ids so that no order can mix them up. Invalid episodes have no reward.

    Raises DataError for an episode without an outcome, and for an id that is given twice.
    """
    groups: dict[str, dict[str, float]] = {}
    seen: set[str] = set()
    for episode in episodes:
        if episode.outcome is None:
            raise DataError(f"episode {episode.id} has no outcome; score it before it is batched")
        if episode.id in seen:
            raise DataError(f"episode {episode.id} is given twice; each trains once")
        seen.add(episode.id)
        if not isinstance(episode.outcome, Invalid):
            groups.setdefault(episode.group, {})[episode.id] = episode.outcome.reward
    return groups


def advantages(groups: Groups, baseline: Compared = group_mean) -> Advantages:
    """The advantages of all episodes. Raises DataError naming an episode whose reward is not finite or above `LARGEST`,
    ConfigError when no group has two members."""
    by_episode: dict[str, float] = {}
    constant, single = [], []
    for group, rewards in groups.items():
        require_bounded(group, rewards)
        if len(rewards) < 2:
            single.append(group)
        elif len(set(rewards.values())) == 1:
            constant.append(group)
        else:
            values = list(rewards.values())
            by_episode |= {episode: r - b for episode, r, b in zip(rewards, values, baseline(values), strict=True)}
    if groups and len(single) == len(groups):
        raise ConfigError(
            f"all {len(single)} groups have fewer than two episodes, so no reward can be compared; "
            "draw several episodes per task and give them the same group"
        )
    return Advantages(by_episode, tuple(constant), tuple(single))


def require_bounded(group: str, rewards: Mapping[str, float]) -> None:
    """Raise DataError for a reward that is not finite or above `LARGEST`."""
    for episode, reward in rewards.items():
        if not abs(reward) <= LARGEST:
            raise DataError(
                f"episode {episode} of group {group} has reward {reward}, and learning takes finite ones of at most "
                f"{LARGEST:g}; fix its rubric, then rescore it"
            )
