"""The running mean of a task family as baseline: for rewards without groups of samples to compare, one episode a task.

    b_f = S_f / W_f        after a batch:  S_f <- d S_f + sum_i r_i,  W_f <- d W_f + n        over the batch's family f

with decay d, so that d = 1 is the mean of all rewards so far, and W_f corrects the start. A reward is compared with
what came before its batch, so the baseline depends on no reward that it judges, and a group of equal rewards still
teaches. The first batch of a family has no past: it is compared with its own mean.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from trivium.episode import ConfigError

from .baselines import Advantages, Groups, require_bounded


@dataclass(frozen=True)
class RunningMean:
    """A baseline per task family; `memory` holds (S_f, W_f)."""

    decay: float = 0.9
    memory: dict[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise ConfigError(f"the running mean decays by {self.decay}; give a number from 0 to 1")

    def advantages(self, groups: Groups, families: Mapping[str, str]) -> Advantages:
        """Compare with the past, then remember this batch. A group whose advantages are all 0 leaves as constant.

        Raises DataError as `baselines.advantages` does.
        """
        rewards: dict[str, list[float]] = {}
        for group, members in groups.items():
            require_bounded(group, members)
            rewards.setdefault(families[group], []).extend(members.values())
        baseline = {family: _mean(*self.memory.get(family, _sums(now))) for family, now in rewards.items()}
        for family, now in rewards.items():
            self._remember(family, *_sums(now))
        by_group = {
            group: {episode: reward - baseline[families[group]] for episode, reward in members.items()}
            for group, members in groups.items()
        }
        moved = [group for group, known in by_group.items() if any(known.values())]
        by_episode = {episode: advantage for group in moved for episode, advantage in by_group[group].items()}
        return Advantages(by_episode, constant=tuple(group for group in groups if group not in moved))

    def _remember(self, family: str, total: float, count: float) -> None:
        before, weight = self.memory.get(family, (0.0, 0.0))
        self.memory[family] = (self.decay * before + total, self.decay * weight + count)


def _sums(rewards: list[float]) -> tuple[float, float]:
    return math.fsum(rewards), float(len(rewards))


def _mean(total: float, weight: float) -> float:
    return total / weight
