"""Supervised learning from scripted experts, in rounds: record, filter, learn, commit.

Always true: a round is a function of the recipe and its number, so a resumed run repeats none; its episodes are stored,
and committed with its checkpoint as those of a training step are (advantage 1); the run's last checkpoint is a model
folder that `policy.model` takes.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path

from trivium.config import Recipe
from trivium.episode import Episode
from trivium.harness import derive
from trivium.learn import AdamWSettings, Batch, Learner, Likelihood, StepReport, demonstrations
from trivium.store import Member, RunStore

from .checkpoint import Checkpointer, restore, weights_of
from .folder import open_run
from .lessons import ROUND, Lessons
from .metrics import learner_metrics, rollout_metrics
from .progress import Progress
from .remote import require_trainable
from .report import Report, make_report
from .setup import Setup
from .tracking import tracked


def sft_run(recipe: Recipe, folder: Path, progress: Progress, *, resume: bool = False) -> Report:
    """`trivium sft`: learn from experts by the recipe's [sft], then measure on the held-out tasks."""
    require_trainable(recipe)
    return asyncio.run(_sft_run(recipe, folder, progress, resume))


async def _sft_run(recipe: Recipe, folder: Path, progress: Progress, resume: bool) -> Report:
    setup = Setup.open(recipe, progress)
    opened = open_run(folder, recipe, setup.opened.folder, resume=resume, command="sft")
    with opened as store, tracked(setup, store) as setup:
        rounds = await _rounds(setup, store)
        arm = await setup.evaluate("sft", store)
        arms = [] if arm is None else [arm]
        report = make_report(recipe, arms, [], rounds, setup.sources.notes, setup.started)
        store.write_report(report.text())
    return report


async def _rounds(setup: Setup, store: RunStore) -> int:
    """Learn until the recorded episodes or the minutes (of this sitting) are used up.

    Returns the number of committed rounds.
    """
    config = setup.recipe.sft
    keeper = Checkpointer(store, setup.opened.engine)
    learner, start = _learner(setup, store, keeper)
    lessons = Lessons(setup)
    total = _total_rounds(setup.recipe)
    stop = time.monotonic() + 60 * (config.minutes or float("inf"))
    done = start
    for number in range(start, total):
        if time.monotonic() >= stop:
            break
        lesson = await lessons.round(number)
        store.put_many(lesson.lived, step=number)
        setup.progress.stage(f"round {number + 1} of {total}: learning", -(-len(lesson.kept) // config.batch_episodes))
        reports = _learn(learner, lesson.kept, config.batch_episodes, setup)
        keeper.deliver(learner, number + 1)
        metrics = rollout_metrics(lesson.kept) | _mean_metrics(reports)
        members = [Member(episode.id, 1.0, weights_of(episode)) for episode in lesson.kept]
        keeper.commit(learner, number, members, lesson.dropped, metrics)
        setup.progress.trained(number, metrics)
        done = number + 1
    return done


def _total_rounds(recipe: Recipe) -> int:
    return max(1, -(-recipe.sft.episodes // (recipe.sft.batch_episodes * ROUND)))


def _learner(setup: Setup, store: RunStore, keeper: Checkpointer) -> tuple[Learner, int]:
    config = setup.recipe.sft
    optimiser = AdamWSettings(
        lr=config.lr,
        clip_norm=1.0,
        betas=(0.9, 0.98),
        warmup=config.warmup,
        schedule="cosine",
        total=max(_total_rounds(setup.recipe) * ROUND, config.warmup + 1),
    )
    learn = setup.recipe.learn
    learner = Learner(
        setup.opened.model,
        optimiser,
        Likelihood(),
        substeps=1,
        micro_tokens=learn.micro_tokens,
        layout=learn.layout,
        checkpoint_activations=learn.checkpoint_activations,
    )
    commit = store.latest()
    if commit is None:
        return learner, 0
    restore(learner, store, commit)
    keeper.deliver(learner, commit.step + 1)
    return learner, commit.step + 1


def _learn(learner: Learner, episodes: Sequence[Episode], rows: int, setup: Setup) -> list[StepReport]:
    order = list(episodes)
    random.Random(derive(setup.recipe.seed, "order", learner.batches)).shuffle(order)
    reports = []
    for start in range(0, len(order), rows):
        reports.append(learner.step(demonstrations(order[start : start + rows])))
        setup.progress.tick()
    return reports


def _mean_metrics(reports: Sequence[StepReport]) -> dict[str, float]:
    folded = [learner_metrics(Batch((), 1.0, report.counts), report) for report in reports]
    names = {name for metrics in folded for name in metrics}
    return {name: sum(metrics[name] for metrics in folded) / len(folded) for name in names}
