"""Evaluation: a policy on held-out tasks, with intervals; two evaluations of the same tasks compare in pairs.

Always true: task i of one arm meets task i of another, with the same presentation and sampling seeds; an invalid
episode is drawn again, and a task without a valid sample is reported as missing, never as 0.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from trivium.bench import Interval, bootstrap_apart, bootstrap_mean, bootstrap_paired
from trivium.envs import Source
from trivium.episode import BoundaryError, Episode, Invalid, Task
from trivium.harness import Harness, derive_seed, run_episode
from trivium.store import RunStore

from .redraw import reason_of, redrawn

EVAL_SEED = 20_261_130


class Arm(msgspec.Struct, frozen=True):
    """One evaluated policy: per task and metric, the mean over its samples (None: no valid sample has it)."""

    name: str
    tasks: tuple[str, ...]
    values: dict[str, tuple[float | None, ...]]
    missing: int = 0

    def interval(self, metric: str) -> Interval | None:
        """The metric over the tasks that have it."""
        known = [value for value in self.values[metric] if value is not None]
        return bootstrap_mean(known) if known else None

    def table(self) -> dict[str, Interval]:
        """Every metric that has a value."""
        return {metric: found for metric in self.values if (found := self.interval(metric)) is not None}


def difference(before: Arm, after: Arm, metric: str) -> Interval | None:
    """after - before, paired by task; not paired when the arms met other tasks. None: an arm has no value of it."""
    if before.tasks != after.tasks:
        return _apart(before, after, metric)
    unknown = (None,) * len(before.tasks)
    both = zip(before.values.get(metric, unknown), after.values.get(metric, unknown), strict=True)
    pairs = [(left, right) for left, right in both if left is not None and right is not None]
    return bootstrap_paired([left for left, _ in pairs], [right for _, right in pairs]) if pairs else None


def _apart(before: Arm, after: Arm, metric: str) -> Interval | None:
    known = [[value for value in arm.values.get(metric, ()) if value is not None] for arm in (before, after)]
    return bootstrap_apart(known[0], known[1]) if all(known) else None


async def evaluate(
    name: str,
    source: Source,
    harness: Harness,
    *,
    samples: int = 1,
    store: RunStore | None = None,
    tick: Callable[[], None] = lambda: None,
    redraws: int = 3,
) -> Arm:
    """Live every task of `source` `samples` times. Raises BoundaryError when no episode is valid."""

    async def live(index: int, task: Task, sample: int, attempt: int) -> Episode:
        seed = derive_seed(EVAL_SEED, index, sample, attempt)
        episode = Episode(id=f"eval-{name}-{index:05d}-{sample}-{attempt}", task=task, group=f"eval-{index}", seed=seed)
        episode = await run_episode(episode, source.open(task, presentation_seed(index)), harness)
        if store is not None:
            store.episodes.put(episode)
        if not isinstance(episode.outcome, Invalid):
            tick()
        return episode

    numbered = list(enumerate(source.tasks))
    found = await asyncio.gather(
        *(redrawn(partial(live, index, task, sample), redraws) for index, task in numbered for sample in range(samples))
    )
    reasons = [reason_of(episode.outcome) for episode in found if isinstance(episode.outcome, Invalid)]
    if len(reasons) == len(found):
        raise BoundaryError(
            f"no episode of the evaluation {name!r} is valid ({reasons[0]}); fix that, "
            "then run it again (a run goes on with --resume)"
        )
    by_task = [found[index * samples : (index + 1) * samples] for index, _ in numbered]
    return arm_of(name, source.tasks, by_task)


def presentation_seed(index: int) -> int:
    """The presentation under which every arm meets task `index`."""
    return derive_seed(EVAL_SEED, "presentation", index)


def arm_of(name: str, tasks: Sequence[Task], by_task: Sequence[Sequence[Episode]]) -> Arm:
    """Fold the valid episodes of each task into an arm."""
    facts = [[episode_metrics(one) for one in lived if not isinstance(one.outcome, Invalid)] for lived in by_task]
    metrics = sorted({metric for task in facts for sample in task for metric in sample})
    values = {
        metric: tuple(_mean([sample[metric] for sample in task if metric in sample]) for task in facts)
        for metric in metrics
    }
    missing = sum(1 for task in facts if not task)
    return Arm(name, tuple(task.id for task in tasks), values, missing)


def episode_metrics(episode: Episode) -> dict[str, float]:
    """Every term of an episode, and what its counters say about how it went."""
    counters = episode.counters
    searches = counters.get("calls.search_corpus", 0)
    return episode.terms() | {
        "one_search": float(searches <= 1),
        "malformed_calls": float(counters.get("malformed_calls", 0)),
        "refused_calls": float(counters.get("refused_calls", 0)),
        "crossed_and_pruned": float(counters.get("over_soft", 0) > 0 and "prune_accuracy" in episode.terms()),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
