"""Agreement of two judges, against known values and slow references."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.bench import agreement, wilson
from trivium.episode import DataError

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def test_wilson_gives_the_textbook_interval():
    found = wilson(8, 10)
    assert (found.low, found.high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert wilson(10, 10).high == 1.0
    assert wilson(10, 10).low == pytest.approx(0.7225, abs=1e-4)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ends_of_wilson_solve_its_equation(hits_n):
    hits, n = hits_n
    found = wilson(hits, n)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    for end in (found.low, found.high):
        if 0 < end < 1:
            z = abs(found.mean - end) / math.sqrt(end * (1 - end) / n)
            assert z == pytest.approx(1.959964, abs=1e-4)


@settings(deadline=None)  # the first call of numpy's quantiles is slow
@given(pairs)
def test_kappa_is_agreement_beyond_chance(both):
    n = len(both)
    found = agreement(both, draws=20)
    yes = [sum(pair[judge] for pair in both) / n for judge in (0, 1)]
    observed = sum(one == other for one, other in both) / n
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    assert found.share.mean == pytest.approx(observed)
    if chance == 1:
        assert found.kappa is None
    else:
        assert found.kappa.mean == pytest.approx((observed - chance) / (1 - chance))
        assert found.kappa.low <= found.kappa.high


def test_judges_who_agree_have_kappa_1_and_judges_by_chance_have_none():
    assert agreement([(True, True), (False, False)] * 20).kappa.mean == 1.0
    apart = agreement([(True, True), (True, False), (False, True), (False, False)] * 25).kappa
    assert apart.low < 0 < apart.high
    assert apart.mean == 0


def test_no_item_is_refused():
    with pytest.raises(DataError, match="no share"):
        agreement([])
