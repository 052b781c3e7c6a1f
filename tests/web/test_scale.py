import math

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.web.scale import spanning, thinned, ticks

NUMBERS = st.floats(-1e9, 1e9)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NUMBERS, min_size=1))
def test_every_value_lies_on_its_scale_and_ticks_are_few_and_round(values):
    scale = spanning(values, 100, 20)
    assert all(19.9 <= scale(value) <= 100.1 for value in values)
    marks = ticks(scale)
    assert 2 <= len(marks) <= 9
    slack = 1e-9 * (scale.high - scale.low) + 1e-15 * max(map(abs, marks))
    assert all(scale.low - slack <= mark <= scale.high + slack for mark in marks)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 500), st.integers(1, 60))
def test_a_long_curve_keeps_its_mean_and_its_steps_in_order(length, most):
    points = [(step, float(step % 7)) for step in range(length)]
    short = thinned(points, most)
    assert len(short) == min(length, most)
    assert [step for step, _ in short] == sorted({step for step, _ in short})
    if length % most == 0:
        whole = sum(value for _, value in points) / length
        assert math.isclose(sum(value for _, value in short) / len(short), whole, abs_tol=1e-9)
