"""Intervals for means, differences and proportions: no figure leaves the bench without one.

Always true: tasks are what is resampled, since samples of one task are not independent; every task weighs the same,
however many samples it has; a seed fixes the result.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import msgspec
import numpy as np
import numpy.typing as npt

from trivium.episode import DataError

DRAWS = 10_000
_CELLS = 4_000_000
"""Most values drawn at once (32 MB)."""


class Interval(msgspec.Struct, frozen=True):
    """An estimate from `n` tasks (or trials) with the ends of its interval."""

    mean: float
    low: float
    high: float
    n: int


def bootstrap_mean(values: Sequence[float], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Mean of independent values with its percentile bootstrap interval (Efron and Tibshirani 1993, chapter 13).

    One value gives an unbounded interval. Raises DataError for no value, or one that is not finite.
    """
    sample_N = np.asarray(values, dtype=np.float64)
    if sample_N.size == 0 or not np.isfinite(sample_N).all():
        raise DataError(f"the values {list(values)[:5]} have no mean; give at least one, all finite")
    mean, count = float(sample_N.mean()), len(sample_N)
    if count == 1:
        return Interval(mean, -math.inf, math.inf, 1)
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


def task_mean(
    scores: Mapping[str, Sequence[float]], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Mean over tasks of the mean over a task's samples; whole tasks are resampled (cluster bootstrap)."""
    return bootstrap_mean(list(_task_means(scores).values()), level=level, draws=draws, seed=seed)


def task_difference(
    before: Mapping[str, Sequence[float]],
    after: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """`bootstrap_paired` by task name, of the means over each task's samples.

    Raises DataError unless both sides hold the same tasks (a side with its failures left out is another suite).
    """
    if unpaired := sorted(before.keys() ^ after.keys()):
        raise DataError(f"{len(unpaired)} tasks stand on one side only, such as {unpaired[:3]}; compare the same tasks")
    old, new = _task_means(before), _task_means(after)
    tasks = sorted(old)
    return bootstrap_paired([old[t] for t in tasks], [new[t] for t in tasks], level=level, draws=draws, seed=seed)


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Proportion with the Wilson score interval (Wilson 1927): right for few trials, and at 0 and 1.

    (p + z²/2n ± z sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n)
    """
    if not 0 <= successes <= trials or trials == 0:
        raise DataError(f"{successes} successes of {trials} trials have no proportion; count again")
    p, z2 = successes / trials, NormalDist().inv_cdf((1 + _checked(level)) / 2) ** 2
    centre = p + z2 / (2 * trials)
    reach = math.sqrt(z2 * (p * (1 - p) + z2 / (4 * trials)) / trials)
    scale = 1 + z2 / trials
    low = 0.0 if successes == 0 else (centre - reach) / scale
    high = 1.0 if successes == trials else (centre + reach) / scale
    return Interval(p, low, high, trials)


def _task_means(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    for task, samples in scores.items():
        if len(samples) == 0:
            raise DataError(f"task {task} has no samples; leave it out of both sides or run it")
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
