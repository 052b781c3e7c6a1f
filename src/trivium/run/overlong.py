"""Which tasks fit: one question longer than the window does not cost the others.

Always true: what is skipped follows from the recipe and the model's tokens, and the notes count it.
"""

import dataclasses
from collections.abc import Callable, Sequence

from trivium.config import Recipe
from trivium.envs.search import SearchWorld, Side
from trivium.episode import BoundaryError, ConfigError, Environment, Task
from trivium.harness import Ruler
from trivium.policy.rendering import Renderer

from .budgeting import make_strategy
from .sources import OwnSources


def without_overlong_tasks(world: SearchWorld, recipe: Recipe, renderer: Renderer) -> SearchWorld:
    """The world without the tasks whose opening reaches the soft limit. Raises ConfigError when a side has no other."""
    fit = _Fit(recipe, renderer)

    def kept(side: Side, name: str) -> Side:
        if not side.tasks:
            return side
        open_ = world.source(side, "training", 0, 1).open
        return dataclasses.replace(side, tasks=tuple(fit.tasks(side.tasks, name, lambda task: open_(task, 0))))

    train, held_out = kept(world.train, "training"), kept(world.held_out, "held-out")
    return dataclasses.replace(world, train=train, held_out=held_out, notes=(*world.notes, *fit.notes))


def own_without_overlong_tasks(sources: OwnSources, recipe: Recipe, renderer: Renderer) -> OwnSources:
    """The same for a user's tasks. An environment that says nothing before it is entered is taken to fit."""
    fit = _Fit(recipe, renderer)
    tasks = fit.tasks(sources.tasks, "training", sources.open)
    measured = fit.tasks(sources.measured, "held-out", sources.open)
    return dataclasses.replace(sources, tasks=tasks, measured=measured, notes=(*sources.notes, *fit.notes))


class _Fit:
    """Sorts out tasks, and notes what it left out."""

    def __init__(self, recipe: Recipe, renderer: Renderer) -> None:
        strategy = make_strategy(recipe)
        self._ruler, self._limit = Ruler(renderer, strategy), strategy.budget.soft
        self.notes: list[str] = []

    def tasks(self, tasks: Sequence[Task], side: str, open_: Callable[[Task], Environment]) -> Sequence[Task]:
        """The tasks that fit. Raises ConfigError when there are tasks and none does."""
        lengths = {task.id: self._length(open_(task), task) for task in tasks}
        long = [name for name, length in lengths.items() if length >= self._limit]
        if not long:
            return tasks
        told = f"the opening of {long[0]} takes {lengths[long[0]]} tokens, the soft limit is {self._limit}"
        if len(long) == len(tasks):
            raise ConfigError(
                f"none of the {len(long)} {side} tasks fits: {told}; raise budget.window, or try "
                "environment.prompt=short"
            )
        self.notes.append(f"{side} tasks: {len(long)} skipped, too long for the window: {told}")
        return [task for task in tasks if lengths[task.id] < self._limit]

    def _length(self, environment: Environment, task: Task) -> int:
        try:
            return self._ruler.length(environment, task)
        except BoundaryError:
            return 0
