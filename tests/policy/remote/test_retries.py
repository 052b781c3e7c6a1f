import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import ConfigError
from trivium.policy.remote import Retries
from trivium.policy.remote.retries import asked_wait


@given(st.integers(1, 200), st.none() | st.floats(0, 1e6), st.integers())
def test_waits_grow_with_jitter_and_stay_within_bounds(failed, asked, seed):
    retries = Retries(first_s=0.5, longest_s=30)
    wait = retries.wait(failed, asked, random.Random(seed))
    grown = min(30, 0.5 * 2 ** (failed - 1))
    assert min(30, max(asked or 0, grown / 2)) <= wait <= min(30, max(asked or 0, grown))


@pytest.mark.parametrize(("header", "seconds"), [("3", 3.0), ("-1", 0.0), (None, None), ("Wed, 21 Oct 2026", None)])
def test_a_retry_after_in_seconds_is_heeded(header, seconds):
    assert asked_wait(header) == seconds


def test_no_attempt_is_refused():
    with pytest.raises(ConfigError, match="leaves no attempt"):
        Retries(attempts=0)
