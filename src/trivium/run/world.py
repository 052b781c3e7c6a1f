"""Opening the search world of a recipe: corpus, index and tasks, without the tasks that its window cannot hold."""

import dataclasses
from pathlib import Path

from trivium.config import Recipe
from trivium.envs.search import SearchWorld, Side, build_world
from trivium.policy.rendering import Renderer

from .made_up import MakeUp, made_up_sides
from .overlong import without_overlong_tasks
from .policy_folder import tokenizer_file
from .progress import Progress, as_stages
from .sources import SearchSources


def open_world(
    recipe: Recipe, renderer: Renderer, home: Path, progress: Progress, *, trains: bool = True
) -> SearchSources:
    """The two sides of a recipe, and what is made up beside the training one; `home` has the policy's tokenizer.

    Where nobody `trains`, nothing is made up, and of a judged data set all questions are held out. Raises ConfigError
    and DataError as `build_world` and `without_overlong_tasks` do.
    """
    progress.stage("corpus and tasks")
    world = build_world(recipe.environment, recipe.reward, renderer.count, as_stages(progress))
    if not trains and recipe.environment.tasks.kind == "qrels":
        world = _all_held_out(world)
    world = without_overlong_tasks(world, recipe, renderer)
    if not trains or not recipe.environment.tasks.made_up:
        return SearchSources(world, recipe)
    progress.stage("made-up tasks")
    make = MakeUp(recipe, world.train.search.corpus.documents, tokenizer_file(home), renderer.count)
    return SearchSources(world, recipe, made_up_sides(make, len(world.train.tasks)))


def _all_held_out(world: SearchWorld) -> SearchWorld:
    search = world.held_out.search
    everything = Side(search, (*world.held_out.tasks, *world.train.tasks))
    return dataclasses.replace(world, train=Side(search, ()), held_out=everything)
