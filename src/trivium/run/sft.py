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
from trivium.harness import derive_seed
from trivium.learn import AdamWSettings, Learner, Likelihood, demonstrations
from trivium.store import Member, RunStore, ordinal

from .checkpoint import Checkpointer
from .folder import open_run
from .lessons import ROUND, Lessons
from .members import weights_of
from .metrics import batch_metrics, learner_metrics, mean_metrics, rollout_metrics
from .progress import Progress
from .remote import require_trainable
from .report import Report, make_report
from .resuming import resumed
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
    keeper = Checkpointer(store, setup.opened.engine, setup.recipe.schedule.keep)
    learner = _learner(setup)
    start = resumed(learner, keeper)
    lessons = Lessons(setup)
    total = _total_rounds(setup.recipe)
    stop = time.monotonic() + 60 * (config.minutes or float("inf"))
    done = start
    for number in range(start, total):
        if time.monotonic() >= stop:
            break
        lesson = await lessons.round(number)
        store.episodes.put_many(lesson.lived, step=number)
        setup.progress.stage(
            f"round {ordinal(number)} of {total}: learning", -(-len(lesson.kept) // config.batch_episodes)
        )
        updates = _learn(learner, lesson.kept, config.batch_episodes, setup)
        keeper.deliver(learner, number)
        metrics = rollout_metrics(lesson.kept) | mean_metrics(updates)
        members = [Member(episode.id, 1.0, weights_of(episode)) for episode in lesson.kept]
        keeper.commit(learner, number, members, lesson.dropped, metrics)
        setup.progress.trained(number, metrics)
        done = ordinal(number)
    return done


def _total_rounds(recipe: Recipe) -> int:
    return max(1, -(-recipe.sft.episodes // (recipe.sft.batch_episodes * ROUND)))


def _learner(setup: Setup) -> Learner:
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
    return Learner(
        setup.opened.model,
        optimiser,
        Likelihood(),
        substeps=1,
        micro_tokens=learn.micro_tokens,
        layout=learn.layout,
        checkpoint_activations=learn.checkpoint_activations,
    )


def _learn(learner: Learner, episodes: Sequence[Episode], rows: int, setup: Setup) -> list[dict[str, float]]:
    """One pass over the episodes of a round; the metrics of every update."""
    order = list(episodes)
    random.Random(derive_seed(setup.recipe.seed, "order", learner.batches)).shuffle(order)
    updates = []
    for start in range(0, len(order), rows):
        report = learner.step(demonstrations(order[start : start + rows]))
        updates.append(batch_metrics(report.counts) | learner_metrics(report))
        setup.progress.tick()
    return updates
