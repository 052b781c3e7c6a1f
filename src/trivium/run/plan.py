"""The plan of a run: which task, under which seeds, stands in which place. A pure function of recipe and place.

Always true: nothing here depends on what happened before, so a resumed run takes the same next tasks, seeds, ids and
group order as an uninterrupted one. A seed fixes draws, not tokens.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from trivium.episode import Episode, Task
from trivium.harness import derive


class Slot(msgspec.Struct, frozen=True):
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
    """Draws tasks without replacement inside an epoch; each epoch has its own order."""

    def __init__(self, tasks: Sequence[Task], groups: int, seed: int) -> None:
        self.tasks, self.groups, self.seed = tasks, groups, seed

    def step(self, step: int) -> list[Slot]:
        """The groups of a step (steps count from 0)."""
        return [self._slot(step, place) for place in range(self.groups)]

    def _slot(self, step: int, place: int) -> Slot:
        epoch, index = turn(len(self.tasks), self.groups, step, place)
        task = self.tasks[_order(len(self.tasks), derive(self.seed, "epoch", epoch))[index]]
        return Slot(step, place, epoch, task, derive(self.seed, "presentation", step, place))


def turn(tasks: int, groups: int, step: int, place: int) -> tuple[int, int]:
    """The epoch in which a group of a step stands, and its place in the order of that epoch."""
    return divmod(step * groups + place, tasks)


def rewarded_as(epoch: int, epochs: int) -> int:
    """The epoch by whose reward it is judged: what follows the last planned one is rewarded as that."""
    return min(epoch, epochs - 1)


def member(slot: Slot, number: int, run_seed: int, attempt: int = 0) -> Episode:
    """A new episode of a group; another attempt (after an invalid one) has another id and other draws."""
    name = f"{slot.group}-{number:03d}" + (f"r{attempt}" if attempt else "")
    return Episode(id=name, task=slot.task, group=slot.group, seed=derive(run_seed, name))


@lru_cache(maxsize=8)
def _order(count: int, seed: int) -> list[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order
