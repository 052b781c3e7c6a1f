"""A recipe, set up: model, engine, renderer and tasks stand ready to be trained on and measured."""

import time
from dataclasses import dataclass

from trivium.config import Recipe
from trivium.envs.search import build_world
from trivium.store import RunStore

from .evaluate import Arm, evaluate
from .fitting import fitting, fitting_own
from .made_up import MakeUp, beside
from .opened_policy import OpenedPolicy, open_policy
from .policy_folder import tokenizer_file
from .progress import Progress, as_stages
from .sources import OwnSources, SearchSources, Sources


@dataclass
class Setup:
    """An opened recipe: its policy and its tasks."""

    recipe: Recipe
    opened: OpenedPolicy
    sources: Sources
    progress: Progress
    started: float

    @classmethod
    def open(cls, recipe: Recipe, progress: Progress, sources: Sources | None = None) -> "Setup":
        """Load the model and, without `sources`, the recipe's corpus and tasks. Raises ConfigError or DataError."""
        started = time.monotonic()
        progress.stage("model")
        opened = open_policy(recipe, progress.stage)
        if sources is None:
            progress.stage("corpus and tasks")
            sources = _sources(recipe, opened, progress)
        elif isinstance(sources, OwnSources):
            progress.stage("tasks")
            sources = fitting_own(sources, recipe, opened.renderer)
        for line in sources.notes:
            progress.note(line)
        return cls(recipe, opened, sources, progress, started)

    async def evaluate(self, name: str, store: RunStore | None = None, samples: int | None = None) -> Arm | None:
        """The policy as it is now, on the held-out tasks (None when there are none)."""
        source = self.sources.held_out()
        if source is None:
            return None
        count = samples or self.recipe.eval.samples
        self.progress.stage(f"evaluation: {name}", len(source.tasks) * count)
        return await evaluate(
            name,
            source,
            self.opened.evaluation(),
            samples=count,
            store=store,
            tick=self.progress.tick,
            redraws=self.recipe.schedule.redraws,
        )


def _sources(recipe: Recipe, opened: OpenedPolicy, progress: Progress) -> SearchSources:
    count = opened.renderer.count
    world = build_world(recipe.environment, recipe.reward, count, as_stages(progress))
    world = fitting(world, recipe, opened.renderer)
    if not recipe.environment.tasks.made_up:
        return SearchSources(world, recipe)
    progress.stage("made-up tasks")
    make = MakeUp(recipe, world.train.library.corpus.documents, tokenizer_file(opened.folder), count)
    return SearchSources(world, recipe, beside(make, len(world.train.tasks)))
