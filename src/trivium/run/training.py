"""Training a recipe in a run folder: measure, train from where the run stands, measure again."""

import asyncio
from pathlib import Path

import msgspec

from trivium.config import Recipe
from trivium.store import RunStore

from .checkpoint import Checkpointer
from .evaluate import Arm
from .findings import findings
from .folder import open_run
from .learning import make_learner
from .progress import Progress
from .remote import require_trainable
from .report import Report, make_report
from .resuming import resumed
from .rollout import Roller
from .scheduler import Scheduler
from .setup import Setup
from .sources import Sources
from .tracking import tracked


def train_run(
    recipe: Recipe, folder: Path, progress: Progress, *, resume: bool = False, sources: Sources | None = None
) -> Report:
    """`trivium train`: measure the start, train, measure the end, write `report.json`."""
    require_trainable(recipe)
    return asyncio.run(_train_run(recipe, folder, progress, resume, sources))


async def _train_run(recipe: Recipe, folder: Path, progress: Progress, resume: bool, sources: Sources | None) -> Report:
    setup = Setup.open(recipe, progress, sources)
    with open_run(folder, recipe, setup.opened.folder, resume=resume) as store, tracked(setup, store) as setup:
        if sources is not None and not store.journal.events("own_tasks"):
            store.journal.add_event("own_tasks", "tasks, environment and rewards come from a script")
        start = await measured_start(setup, store)
        steps = await train_steps(setup, store)
        after = await setup.evaluate("after", store)
        arms = [arm for arm in (start, after) if arm is not None]
        pairs = [("start", "after")]
        report = make_report(recipe, arms, pairs, steps, setup.sources.notes, setup.started, findings(store))
        store.write_report(report.text())
    return report


async def measured_start(setup: Setup, store: RunStore) -> Arm | None:
    """The arm before training; a resumed run finds the one that it measured then."""
    kept = store.journal.events("start_arm")
    if kept:
        return msgspec.convert(kept[-1].data, Arm)
    arm = await setup.evaluate("start", store)
    if arm is not None:
        store.journal.add_event(
            "start_arm", "the policy before training, on the held-out tasks", msgspec.to_builtins(arm)
        )
    return arm


async def train_steps(setup: Setup, store: RunStore) -> int:
    """Train to the recipe's end, from where the run stands; returns the number of committed steps."""
    learner = make_learner(setup.opened.model, setup.recipe.learn)
    checkpointer = Checkpointer(store, setup.opened.engine, setup.recipe.schedule.keep)
    start = resumed(learner, checkpointer)
    if start:
        setup.progress.note(f"resumed after step {start}")
    if start >= setup.recipe.schedule.steps:
        setup.progress.note(f"nothing is left to train: all {start} steps of the recipe are done; measuring again")
    roller = Roller(
        store,
        setup.opened.training(),
        setup.recipe.seed,
        setup.recipe.schedule.group_size,
        setup.recipe.schedule.redraws,
    )
    scheduler = Scheduler(
        setup.recipe,
        store,
        setup.sources.training,
        roller,
        learner,
        checkpointer,
        setup.progress,
        start,
    )
    return await scheduler.train()
