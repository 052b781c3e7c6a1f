import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import ConfigError, DataError, Episode, Failed, Invalid, Scored, Task
from trivium.learn import advantages, group_mean, leave_one_out, rewards_by_group
from trivium.learn.baselines import LARGEST

REWARDS = st.lists(st.floats(-10, 10), min_size=2, max_size=9)


@given(REWARDS)
def test_group_mean_advantages_sum_to_zero_and_are_not_scaled(rewards):
    given_ids = {f"e{i}": reward for i, reward in enumerate(rewards)}
    known = advantages({"g": given_ids}).by_episode
    assert sum(known.values()) == pytest.approx(0, abs=1e-9)
    if known:
        assert known["e1"] - known["e0"] == pytest.approx(rewards[1] - rewards[0], abs=1e-9)


@given(REWARDS)
def test_leave_one_out_is_group_mean_stretched(rewards):
    size = len(rewards)
    for reward, mean, other in zip(rewards, group_mean(rewards), leave_one_out(rewards), strict=True):
        assert reward - other == pytest.approx((reward - mean) * size / (size - 1), abs=1e-9)


def test_a_constant_group_leaves_and_is_counted():
    known = advantages({"a": {"1": 0.1, "2": 0.1, "3": 0.1}, "b": {"4": 0.0, "5": 1.0}})
    assert known.constant == ("a",)
    assert known.by_episode == {"4": -0.5, "5": 0.5}


def test_all_failed_is_constant_not_an_error():
    assert advantages({"a": {"1": 0.0, "2": 0.0}}).by_episode == {}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308, -1e308, 2e12])
def test_a_reward_that_is_no_number_is_refused_by_name(bad):
    with pytest.raises(DataError, match="episode 2 of group a has reward"):
        advantages({"a": {"1": 0.0, "2": bad}})


def test_the_largest_rewards_have_finite_advantages():
    known = advantages({"a": {"1": LARGEST, "2": -LARGEST, "3": LARGEST}}, leave_one_out).by_episode
    assert known["2"] == -2 * LARGEST


def test_groups_of_one_everywhere_are_a_wrong_key():
    with pytest.raises(ConfigError, match="all 2 groups have fewer than two"):
        advantages({"a": {"1": 0.0}, "b": {"2": 1.0}})


def test_a_group_of_one_among_others_leaves():
    known = advantages({"a": {"1": 0.0}, "b": {"2": 1.0, "3": 0.0}})
    assert known.single == ("a",)
    assert set(known.by_episode) == {"2", "3"}


def test_nothing_given_nothing_learned():
    assert advantages({}).by_episode == {}


def ended(id, outcome, group="g"):
    return Episode(id=id, task=Task(id="t", prompt=""), group=group, seed=0, outcome=outcome)


def test_failed_counts_and_invalid_does_not():
    groups = rewards_by_group(
        [ended("1", Scored(1.0)), ended("2", Failed(-1.0, "x")), ended("3", Invalid("tool", "y"))]
    )
    assert groups == {"g": {"1": 1.0, "2": -1.0}}


def test_unscored_and_doubled_episodes_are_refused():
    with pytest.raises(DataError, match="no outcome"):
        rewards_by_group([ended("1", None)])
    with pytest.raises(DataError, match="given twice"):
        rewards_by_group([ended("1", Scored(1.0)), ended("1", Scored(1.0))])
