"""Supervised learning from scripted experts, in rounds: record, filter, learn, commit.

Always true: a round is a function of the recipe and its number, so a resumed run repeats none; the run's last
checkpoint is a model folder that `policy.model` takes.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path

from trivium.config import Recipe
from trivium.envs import Source
from trivium.episode import ConfigError, Episode
from trivium.harness import derive
from trivium.learn import (
    AdamW,
    Batch,
    Learner,
    Likelihood,
    StepReport,
    Trace,
    demonstrations,
    recall_filter,
)
from trivium.store import RunStore

from .checkpoint import Checkpointer, restore
from .drills import drilled
from .experts import mixed, record
from .folder import open_run
from .made_up import MakeUp, letter_pieces
from .metrics import learner_metrics, rollout_metrics
from .parts import tokenizer_file
from .progress import Progress
from .remote import require_trainable
from .report import Report, make_report
from .setup import Setup
from .sources import SearchSources

ROUND = 20
"""Optimiser steps of a round at most: what the recall filter refuses is not replaced."""


def sft_run(recipe: Recipe, folder: Path, progress: Progress, *, resume: bool = False) -> Report:
    """`trivium sft`: learn from experts by the recipe's [sft], then measure on the held-out tasks."""
    require_trainable(recipe)
    return asyncio.run(_sft_run(recipe, folder, progress, resume))


async def _sft_run(recipe: Recipe, folder: Path, progress: Progress, resume: bool) -> Report:
    setup = Setup.open(recipe, progress)
    with open_run(folder, recipe, setup.parts.home, resume=resume, command="sft") as store:
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
    keeper = Checkpointer(store, setup.parts.engine)
    learner, start = _learner(setup, store, keeper)
    make = _make_up(setup)
    total = _total_rounds(setup.recipe)
    stop = time.monotonic() + 60 * (config.minutes or float("inf"))
    done = start
    for number in range(start, total):
        if time.monotonic() >= stop:
            break
        episodes = await _recorded(setup, make, number) + await _drilled(setup, number)
        setup.progress.stage(f"round {number + 1} of {total}: learning", -(-len(episodes) // config.rows))
        reports = _learn(learner, episodes, config.rows, setup)
        keeper.deliver(learner, number + 1)
        metrics = rollout_metrics(episodes) | _mean_metrics(reports)
        keeper.commit(learner, number, [], {}, metrics)
        setup.progress.trained(number, metrics)
        done = number + 1
    return done


def _total_rounds(recipe: Recipe) -> int:
    return max(1, -(-recipe.sft.episodes // (recipe.sft.rows * ROUND)))


def _learner(setup: Setup, store: RunStore, keeper: Checkpointer) -> tuple[Learner, int]:
    config = setup.recipe.sft
    optimiser = AdamW(
        lr=config.lr,
        betas=(0.9, 0.98),
        warmup=config.warmup,
        schedule="cosine",
        total=max(_total_rounds(setup.recipe) * ROUND, config.warmup + 1),
    )
    learner = Learner(setup.parts.model, optimiser, Likelihood(), substeps=1)
    commit = store.latest()
    if commit is None:
        return learner, 0
    restore(learner, store, commit)
    keeper.deliver(learner, commit.step + 1)
    return learner, commit.step + 1


async def _recorded(setup: Setup, make: MakeUp | None, number: int) -> list[Episode]:
    """The expert episodes of a round, over made-up and real documents, after the recall filter."""
    recipe = setup.recipe
    count = max(1, round(recipe.sft.rows * ROUND * (1 - recipe.sft.drills)))
    setup.progress.stage(f"round {number + 1}: experts", count)
    episodes: list[Episode] = []
    for source, share in _mix(setup, make, number, count):
        seed = derive(recipe.seed, "sft", number, source.name)
        skill = mixed(recipe.sft, recipe.editing.prune)
        parts = setup.parts
        episodes += await record(source, parts.renderer, parts.budget, share, seed, skill, setup.progress.tick)
    chosen = recall_filter([_trace(episode) for episode in episodes], seed=derive(recipe.seed, "filter", number))
    kept = set(chosen.kept)
    if not kept:
        raise ConfigError(
            f"the recall filter kept none of {len(episodes)} expert episodes ({chosen.counts}); "
            "give the experts more room: raise budget.reply or budget.window"
        )
    return [episode for episode in episodes if episode.id in kept]


async def _drilled(setup: Setup, number: int) -> list[Episode]:
    """The copy drills of a round: `sft.drills` of its rows."""
    config, parts = setup.recipe.sft, setup.parts
    count = round(config.rows * ROUND * config.drills)
    if not count:
        return []
    pieces = letter_pieces(tokenizer_file(parts.home))
    return await drilled(pieces, parts.renderer, count, derive(setup.recipe.seed, "drills", number))


def _make_up(setup: Setup) -> MakeUp | None:
    """What disguises the training documents, where the recipe wants that and there are some."""
    sources = setup.sources
    if not setup.recipe.sft.made_up or not isinstance(sources, SearchSources):
        return None
    documents = sources.world.train.library.corpus.documents
    return MakeUp(setup.recipe, documents, tokenizer_file(setup.parts.home), setup.parts.renderer.count)


def _mix(setup: Setup, make: MakeUp | None, number: int, count: int) -> list[tuple[Source, int]]:
    """The sources of a round, and how many episodes each gives."""
    recipe, sources = setup.recipe, setup.sources
    real = sources.training(recipe.schedule.epochs - 1)
    if make is None or not isinstance(sources, SearchSources):
        return [(real, count)]
    share = int(count * recipe.sft.made_up)
    side = make.side(share, derive(recipe.seed, "made up", number), "made-up")
    fresh = sources.source(side, "made up", recipe.schedule.epochs - 1)
    return [(source, size) for source, size in ((fresh, share), (real, count - share)) if size]


def _trace(episode: Episode) -> Trace:
    terms = episode.terms()
    return Trace(
        id=episode.id,
        query=episode.task.id,
        trajectory_recall=terms["r_traj"],
        output_recall=terms["recall"],
        malformed=episode.counters.get("malformed_calls", 0) > 0,
    )


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
