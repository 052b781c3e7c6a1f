"""Which tasks of a search world fit: one question longer than the window does not cost the others.

Always true: what is skipped follows from the recipe and the model's tokens, and the notes count it.
"""

import dataclasses

from trivium.config import Recipe
from trivium.envs.search import SearchWorld, Side
from trivium.episode import ConfigError
from trivium.harness import Pruning, opening_lengths
from trivium.policy.rendering import Renderer

from .parts import make_budget


def fitting(world: SearchWorld, recipe: Recipe, renderer: Renderer) -> SearchWorld:
    """The world without the tasks whose opening reaches the soft limit. Raises ConfigError when a side has no other."""
    strategy = Pruning(make_budget(recipe.budget), recipe.editing.prune)
    notes = list(world.notes)
    sides = []
    for name, side in (("training", world.train), ("held-out", world.held_out)):
        long = _too_long(world, side, renderer, strategy)
        if long and len(long) == len(side.tasks):
            raise ConfigError(
                f"none of the {len(long)} {name} tasks fits: {_told(long, strategy)}; raise budget.window"
            )
        if long:
            notes.append(f"{name} tasks: {len(long)} skipped, too long for the window: {_told(long, strategy)}")
        sides.append(dataclasses.replace(side, tasks=tuple(task for task in side.tasks if task.id not in long)))
    return dataclasses.replace(world, train=sides[0], held_out=sides[1], notes=tuple(notes))


def _too_long(world: SearchWorld, side: Side, renderer: Renderer, strategy: Pruning) -> dict[str, int]:
    """For each task that does not fit, by id, the tokens of its opening; every task of a side has the same tools."""
    if not side.tasks:
        return {}
    opened = world.source(side, "fitting", 0, 1).open(side.tasks[0], 0)
    lengths = opening_lengths(opened, side.tasks, renderer, strategy)
    found = zip(side.tasks, lengths, strict=True)
    return {task.id: length for task, length in found if length >= strategy.budget.soft}


def _told(long: dict[str, int], strategy: Pruning) -> str:
    task, tokens = next(iter(long.items()))
    return f"the opening of {task} takes {tokens} tokens, the soft limit is {strategy.budget.soft}"
