"""Intervals for means and paired differences: no figure leaves the bench without one.

Always true: tasks are what is resampled, since samples of one task are not independent; every task weighs the same,
however many samples it has; a seed fixes the result.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from trivium.episode import DataError

DRAWS = 10_000
_CELLS = 4_000_000
"""Most values drawn at once (32 MB)."""


class Interval(msgspec.Struct, frozen=True):
    """An estimate from `n` tasks with the ends of its interval; None: one task tells nothing of them."""

    mean: float
    low: float | None
    high: float | None
    n: int


def bootstrap_mean(values: Sequence[float], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Mean of independent values with its percentile bootstrap interval (Efron and Tibshirani 1993, chapter 13).

    One value has no interval. Raises DataError for no value, and when one, or their sum, is not finite.
    """
    sample_N = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        total = np.abs(sample_N).sum()
    if sample_N.size == 0 or not np.isfinite(total):
        raise DataError(f"the values {list(values)[:5]} have no mean; give at least one, all finite")
    mean, count = float(sample_N.mean()), len(sample_N)
    if count == 1:
        return Interval(mean, None, None, 1)
    tail = (1 - _checked(level)) / 2
    low, high = np.quantile(_bootstrap_means(sample_N, draws, seed), [tail, 1 - tail])
    return Interval(mean, float(low), float(high), count)


def bootstrap_paired(
    before: Sequence[float], after: Sequence[float], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Mean of after - before where place i of both is the same task: what tasks differ in by nature cancels."""
    if len(before) != len(after):
        raise DataError(f"{len(before)} values cannot be paired with {len(after)}; compare the same tasks")
    return bootstrap_mean(
        [new - old for old, new in zip(before, after, strict=True)], level=level, draws=draws, seed=seed
    )


def bootstrap_apart(
    before: Sequence[float], after: Sequence[float], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Mean of after minus mean of before, over different tasks: each side is resampled by itself. n: the fewer."""
    old, new = bootstrap_mean(before, level=level, draws=2), bootstrap_mean(after, level=level, draws=2)
    count = min(old.n, new.n)
    if count == 1:
        return Interval(new.mean - old.mean, None, None, 1)
    sides = [np.asarray(values, dtype=np.float64) for values in (before, after)]
    old_D, new_D = (_bootstrap_means(side, draws, seed + at) for at, side in enumerate(sides))
    tail = (1 - level) / 2
    low, high = np.quantile(new_D - old_D, [tail, 1 - tail])
    return Interval(new.mean - old.mean, float(low), float(high), count)


def task_mean(
    scores: Mapping[str, Sequence[float]], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Mean over tasks of the mean over a task's samples; whole tasks are resampled (cluster bootstrap)."""
    return bootstrap_mean(list(_task_means(scores).values()), level=level, draws=draws, seed=seed)


def _task_means(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    for task, samples in scores.items():
        if len(samples) == 0:
            raise DataError(f"task {task} has no samples; leave it out or run it")
    return {task: math.fsum(samples) / len(samples) for task, samples in scores.items()}


def _bootstrap_means(sample_N: npt.NDArray[np.float64], draws: int, seed: int) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    count = len(sample_N)
    block = max(1, _CELLS // count)
    blocks = [min(block, draws - start) for start in range(0, draws, block)]
    return np.concatenate([sample_N[rng.integers(count, size=(size, count))].mean(axis=1) for size in blocks])


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; a confidence level lies between 0 and 1, such as 0.95")
    return level
