"""Fused lists, against the formula written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.bench import fused
from trivium.episode import DataError

rankings = st.lists(st.lists(st.sampled_from("abcdefg"), unique=True), min_size=1, max_size=5)


@given(rankings, st.integers(0, 8))
def test_each_id_scores_the_sum_of_its_reciprocal_ranks(lists, limit):
    score = {item: sum(1 / (61 + one.index(item)) for one in lists if item in one) for one in lists for item in one}
    slow = sorted(score, key=lambda item: (-score[item], item))
    made = fused(lists, limit)
    assert len(made) == min(limit, len(slow))
    assert [round(score[item], 12) for item in made] == [round(score[item], 12) for item in slow[:limit]]


@given(st.lists(st.sampled_from("abcdefg"), unique=True))
def test_one_list_stays_as_it_is_and_silence_adds_nothing(one):
    assert fused([one], 30) == fused([one, []], 30) == tuple(one)


def test_what_all_lists_have_beats_what_one_has_first():
    assert fused([["a", "c"], ["b", "c"], ["c"]], 2) == ("c", "a")


def test_no_list_is_refused():
    with pytest.raises(DataError, match="0 lists"):
        fused([], 3)
