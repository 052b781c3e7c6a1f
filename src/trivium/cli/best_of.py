"""Means, the best of k and fused answers, from the episodes of an evaluation."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
from rich.table import Table

from trivium.bench import METRICS, Interval, best_of_k, bootstrap_mean, task_mean
from trivium.episode import Invalid
from trivium.run import Fusion, episode_metrics
from trivium.store import RunStore

from .tables import cell

Scores = dict[str, list[float]]
"""Task -> the values of its episodes."""


class Figure(msgspec.Struct, frozen=True):
    """One metric: its mean, and the expected best of k episodes of a task (None: no task has k values)."""

    mean: Interval
    best: Interval | None


def figures(store: RunStore, k: int) -> dict[str, Figure]:
    """Every metric that some episode has."""
    scores: dict[str, Scores] = defaultdict(lambda: defaultdict(list))
    for episode in store.episodes.find():
        if not isinstance(episode.outcome, Invalid):
            for metric, value in episode_metrics(episode).items():
                scores[metric][episode.task.id].append(value)
    return {metric: Figure(task_mean(tasks), _best(list(tasks.values()), k)) for metric, tasks in scores.items()}


def _best(samples: Sequence[Sequence[float]], k: int) -> Interval | None:
    values = [best_of_k(task, k) for task in samples if len(task) >= k]
    return bootstrap_mean(values) if values else None


def figures_table(found: dict[str, Figure], k: int) -> Table:
    """The metrics that people ask for first."""
    table = Table(caption="95 % intervals over tasks", caption_justify="left")
    table.add_column("metric", no_wrap=True)
    table.add_column("mean", justify="right")
    if k > 1:
        table.add_column(f"best of {k}", justify="right")
    table.add_column("tasks", justify="right")
    for metric, label in METRICS.items():
        if metric in found:
            figure = found[metric]
            best = [cell(figure.best)] if k > 1 else []
            table.add_row(label, cell(figure.mean), *best, str(figure.mean.n))
    return table


def fusion_table(found: dict[str, Fusion], count: int) -> Table:
    """What fused answers are worth, and by how much that is above a single one."""
    table = Table(caption="95 % intervals over tasks; the gain is paired by task", caption_justify="left")
    table.add_column("metric", no_wrap=True)
    table.add_column(f"{count} fused", justify="right")
    table.add_column("gain over one", justify="right")
    table.add_column("tasks", justify="right")
    for metric, figure in found.items():
        table.add_row(METRICS[metric], cell(figure.fused), cell(figure.gain), str(figure.fused.n))
    return table
