"""Where a run's tasks come from: the training source of each epoch, and the held-out one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from trivium.config import Recipe
from trivium.envs import Source, joined
from trivium.envs.search import SearchWorld, Side
from trivium.episode import Environment, Task

from .invalid_environment import open_or_invalid


class Sources(Protocol):
    """The two sides of a run."""

    @property
    def notes(self) -> Sequence[str]:
        """What was skipped or refused on the way."""
        ...

    def training(self, epoch: int) -> Source:
        """The training tasks, rewarded as in an epoch."""
        ...

    def held_out(self) -> Source | None:
        """The tasks that measure, if any."""
        ...


@dataclass(frozen=True)
class SearchSources:
    """The sides of a search world; held-out tasks are rewarded as in the last epoch, so that arms are judged alike."""

    world: SearchWorld
    recipe: Recipe
    made_up: Sequence[Side] = ()
    """Corpora of words that do not exist, trained on beside the real one."""

    @property
    def notes(self) -> Sequence[str]:
        """What reading and generating skipped."""
        return self.world.notes

    def training(self, epoch: int) -> Source:
        """The training side, and what was made up beside it."""
        sides = (self.world.train, *self.made_up)
        return joined("training", [self.source(side, "training", epoch) for side in sides])

    def source(self, side: Side, name: str, epoch: int) -> Source:
        """The tasks of one side under a name, rewarded as in an epoch."""
        return self.world.source(side, name, epoch, self.recipe.schedule.epochs)

    def held_out(self) -> Source | None:
        """The first `eval.tasks` of the held-out side."""
        if not self.recipe.eval.tasks or not self.world.held_out.tasks:
            return None
        epochs = self.recipe.schedule.epochs
        whole = self.world.source(self.world.held_out, "held out", epochs - 1, epochs)
        return Source(whole.name, whole.tasks[: self.recipe.eval.tasks], whole.open)


@dataclass(frozen=True)
class OwnSources:
    """A user's own environment and task lists."""

    environment: Callable[[Task], Environment]
    tasks: Sequence[Task]
    measured: Sequence[Task] = ()
    notes: Sequence[str] = ()

    def training(self, epoch: int) -> Source:
        """The tasks to train on."""
        return Source("training", self.tasks, lambda task, _: self.open(task))

    def held_out(self) -> Source | None:
        """The tasks to measure on."""
        return Source("held out", self.measured, lambda task, _: self.open(task)) if self.measured else None

    def open(self, task: Task) -> Environment:
        """The environment of one episode."""
        return open_or_invalid(self.environment, task)
