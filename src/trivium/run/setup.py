"""A recipe, set up: model, engine, renderer and tasks stand ready to be trained on and measured."""

import time
from dataclasses import dataclass

from trivium.config import Recipe
from trivium.store import RunStore

from .evaluate import Arm, evaluate
from .opened_policy import OpenedPolicy, open_policy
from .overlong import own_without_overlong_tasks
from .progress import Progress
from .sources import OwnSources, Sources
from .world import open_world


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
            sources = open_world(recipe, opened.renderer, opened.folder, progress)
        elif isinstance(sources, OwnSources):
            progress.stage("tasks")
            sources = own_without_overlong_tasks(sources, recipe, opened.renderer)
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
