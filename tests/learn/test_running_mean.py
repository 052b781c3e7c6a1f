import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import ConfigError, DataError
from trivium.learn import RunningMean, make_batch

from . import small

REWARD = st.floats(-10, 10)
BATCH = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.lists(REWARD, min_size=1, max_size=4), min_size=1)


def as_groups(batch):
    """A group per reward, as where every task has one episode; group -> family beside it."""
    groups = {f"{family}{n}": {f"{family}{n}-0": r} for family, rewards in batch.items() for n, r in enumerate(rewards)}
    return groups, {group: group[0] for group in groups}


@given(batches=st.lists(BATCH, min_size=1, max_size=5), decay=st.floats(0, 1))
def test_advantages_are_over_the_weighed_mean_of_all_earlier_rewards(batches, decay):
    baseline, past = RunningMean(decay), {}
    for batch in batches:
        found = baseline.advantages(*as_groups(batch))
        for family, rewards in batch.items():
            known = past.setdefault(family, []) or [rewards]
            weighed = [(decay**age, r) for age, old in enumerate(reversed(known)) for r in old]
            mean = math.fsum(w * r for w, r in weighed) / math.fsum(w for w, _ in weighed)
            for n, reward in enumerate(rewards):
                told = found.by_episode.get(f"{family}{n}-0", 0.0)
                assert told == pytest.approx(reward - mean, abs=1e-9)
            past[family].append(rewards)


def test_equal_rewards_teach_once_there_is_a_past():
    baseline, families = RunningMean(), {"g": "f", "h": "f"}
    first = baseline.advantages({"g": {"1": 0.5, "2": 0.5}, "h": {"3": 0.5}}, families)
    assert first.by_episode == {}
    assert first.constant == ("g", "h")
    assert baseline.advantages({"g": {"4": 1.0, "5": 1.0}}, families).by_episode == {"4": 0.5, "5": 0.5}


def test_a_reward_that_is_no_number_is_refused_and_not_remembered():
    baseline = RunningMean()
    with pytest.raises(DataError, match="episode 2 of group g has reward"):
        baseline.advantages({"f": {"1": 1.0}, "g": {"2": math.nan}}, {"f": "f", "g": "f"})
    assert baseline.memory == {}


def test_a_decay_that_grows_is_refused():
    with pytest.raises(ConfigError, match="give a number from 0 to 1"):
        RunningMean(1.5)


def test_a_batch_of_single_episodes_trains():
    net, baseline = small.model(), RunningMean()
    episodes = [small.episode(net, seed, turns=1, group=f"g{seed}") for seed in range(3)]
    batch = make_batch(episodes, "policy", baseline=baseline)
    rewards = [episode.outcome.reward for episode in episodes]
    assert [share.advantage for share in batch.shares] == pytest.approx([r - sum(rewards) / 3 for r in rewards])
    assert baseline.memory == {"default": (pytest.approx(sum(rewards)), 3.0)}
