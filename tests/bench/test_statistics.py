"""Against slow and obvious references, and against what the figures promise."""

import math
import random
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.bench import Interval, best_of_k, bootstrap_apart, bootstrap_mean, bootstrap_paired, task_mean
from trivium.episode import DataError


def slow_bootstrap(values: list[float], draws: int, seed: int) -> tuple[float, float]:
    draw = random.Random(seed)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def test_the_bootstrap_agrees_with_the_slow_one() -> None:
    draw = random.Random(1)
    values = [draw.expovariate(1.0) for _ in range(60)]
    fast = bootstrap_mean(values, seed=3)
    low, high = slow_bootstrap(values, 10_000, 4)
    assert fast.mean == pytest.approx(statistics.fmean(values))
    assert fast.low == pytest.approx(low, abs=0.02)
    assert fast.high == pytest.approx(high, abs=0.02)
    assert fast.n == 60


def test_a_95_percent_interval_covers_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(0)
    intervals = [bootstrap_mean(rng.normal(0, 1, 50).tolist(), draws=500, seed=i) for i in range(400)]
    covered = sum(i.low <= 0 <= i.high for i in intervals) / 400
    assert 0.91 < covered < 0.98


def test_a_seed_fixes_the_interval_and_blocks_do_not_change_its_shape() -> None:
    values = np.random.default_rng(0).normal(0, 1, 3_000).tolist()
    assert bootstrap_mean(values, draws=3_000) == bootstrap_mean(values, draws=3_000)
    assert bootstrap_mean(values, draws=3_000).high == pytest.approx(
        statistics.fmean(values) + 1.96 * statistics.stdev(values) / math.sqrt(3_000), abs=0.004
    )


def test_one_value_has_no_interval_and_none_is_refused() -> None:
    assert bootstrap_mean([0.7]) == Interval(0.7, None, None, 1)
    for values in ([], [0.1, math.nan], [1e308, 1e308]):
        with pytest.raises(DataError, match="have no mean"):
            bootstrap_mean(values)
    with pytest.raises(ValueError, match="level is 95"):
        bootstrap_mean([1, 2], level=95)


def test_two_sides_apart_are_resampled_apart() -> None:
    rng = np.random.default_rng(2)
    before, after = rng.normal(0, 1, 80).tolist(), rng.normal(1, 2, 50).tolist()
    found = bootstrap_apart(before, after)
    error = math.sqrt(statistics.variance(before) / 80 + statistics.variance(after) / 50)
    assert found.mean == pytest.approx(statistics.fmean(after) - statistics.fmean(before))
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.06)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.06)
    assert found.n == 50
    assert bootstrap_apart([0.0], after).low is None
    with pytest.raises(DataError, match="have no mean"):
        bootstrap_apart([], after)


def test_pairing_cancels_what_tasks_differ_in() -> None:
    rng = np.random.default_rng(0)
    before = rng.normal(0, 5, 40)
    after = before + 0.3 + rng.normal(0, 0.1, 40)
    paired = bootstrap_paired(before.tolist(), after.tolist())
    assert 0.2 < paired.low < paired.mean < paired.high < 0.4
    with pytest.raises(DataError, match="40 values cannot be paired with 39"):
        bootstrap_paired(before.tolist(), after.tolist()[1:])


def test_samples_of_one_task_are_no_independent_evidence() -> None:
    scores = {f"t{i}": [float(i % 2)] * 50 for i in range(20)}
    clustered = task_mean(scores)
    flat = bootstrap_mean([value for samples in scores.values() for value in samples])
    assert clustered.n == 20
    assert clustered.mean == flat.mean
    assert clustered.high - clustered.low > 5 * (flat.high - flat.low)


def test_every_task_weighs_the_same() -> None:
    assert task_mean({"a": [1.0] * 9, "b": [0.0]}).mean == 0.5
    with pytest.raises(DataError, match="task a has no samples"):
        task_mean({"a": []})


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=7), st.data())
def test_best_of_k_is_the_mean_of_the_maximum_over_all_subsets(samples: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(samples)))
    slow = statistics.fmean(max(subset) for subset in combinations(samples, k))
    assert best_of_k(samples, k) == pytest.approx(slow, abs=1e-9)


def test_best_of_many_stays_exact() -> None:
    assert best_of_k([float(i) for i in range(1, 2_001)], 1_000) == pytest.approx(1_000 * 2_001 / 1_001)
    with pytest.raises(DataError, match="best of 3 cannot be told from 2 samples"):
        best_of_k([1.0, 2.0], 3)
    with pytest.raises(DataError, match="not finite"):
        best_of_k([1.0, math.nan], 1)
