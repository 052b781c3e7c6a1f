"""The plan of a run: which task, under which seeds, stands in which place. A pure function of recipe and place.

Always true: nothing here depends on what happened before, so a resumed run takes the same next tasks, seeds, ids and
group order as an uninterrupted one. A seed fixes draws, not tokens.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from trivium.episode import ConfigError, Episode, Task
from trivium.harness import derive_seed


class PlannedGroup(msgspec.Struct, frozen=True):
    """One group of a step: its task and the seed of its presentation."""

    step: int
    place: int
    epoch: int
    task: Task
    seed: int

    @property
    def group(self) -> str:
        """Name of the group."""
        return f"{self.step:05d}-{self.place:03d}"


class Plan:
    """Draws tasks without replacement inside an epoch; each epoch has its own order.

    The first `short_first` epochs, which are as long as the others, draw the tasks of fewest hops alone, again and
    again (Context-1's curriculum of difficulty). Raises ConfigError when no task has more hops than another.
    """

    def __init__(self, tasks: Sequence[Task], groups: int, seed: int, short_first: int = 0) -> None:
        self.tasks, self.groups, self.seed, self.short_first = tasks, groups, seed, short_first
        self.short = _shortest(tasks) if short_first else tasks
        if short_first and len(self.short) == len(tasks):
            raise ConfigError(
                f"schedule.short_first is {short_first}, and no task has more hops than another; "
                "give environment.tasks.hops several lengths, or set it to 0"
            )

    def step(self, step: int) -> list[PlannedGroup]:
        """The groups of a step (steps count from 0)."""
        return [self._group(step, place) for place in range(self.groups)]

    def _group(self, step: int, place: int) -> PlannedGroup:
        epoch, index = turn(len(self.tasks), self.groups, step, place)
        return PlannedGroup(
            step, place, epoch, self._task(epoch, index), derive_seed(self.seed, "presentation", step, place)
        )

    def _task(self, epoch: int, index: int) -> Task:
        if epoch >= self.short_first:
            return self.tasks[_order(len(self.tasks), derive_seed(self.seed, "epoch", epoch))[index]]
        again, at = divmod(index, len(self.short))
        return self.short[_order(len(self.short), derive_seed(self.seed, "short", epoch, again))[at]]


def turn(tasks: int, groups: int, step: int, place: int) -> tuple[int, int]:
    """The epoch in which a group of a step stands, and its place in the order of that epoch."""
    return divmod(step * groups + place, tasks)


def rewarded_as(epoch: int, epochs: int) -> int:
    """The epoch by whose reward it is judged: what follows the last planned one is rewarded as that."""
    return min(epoch, epochs - 1)


def new_episode(group: PlannedGroup, number: int, run_seed: int, attempt: int = 0) -> Episode:
    """A new episode of a group; another attempt (after an invalid one) has another id and other draws."""
    name = f"{group.group}-{number:03d}" + (f"r{attempt}" if attempt else "")
    return Episode(id=name, task=group.task, group=group.group, seed=derive_seed(run_seed, name))


def _shortest(tasks: Sequence[Task]) -> list[Task]:
    """The tasks of fewest hops; a task that tells none has one."""
    hops = [_hops(task) for task in tasks]
    return [task for task, own in zip(tasks, hops, strict=True) if own == min(hops)]


def _hops(task: Task) -> int:
    told = task.data.get("hops", 1)
    return told if isinstance(told, int) else 1


@lru_cache(maxsize=8)
def _order(count: int, seed: int) -> tuple[int, ...]:
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return tuple(order)
