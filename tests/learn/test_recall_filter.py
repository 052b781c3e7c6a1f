import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import DataError
from trivium.learn import Trace, recall_filter

RECALL = st.sampled_from([0.0, 0.1, 0.3, 0.4, 0.41, 0.5, 0.7, 1.0])
TRACES = st.lists(st.tuples(st.integers(0, 8), RECALL, RECALL, st.booleans()), max_size=120).map(
    lambda rows: [
        Trace(id=f"t{i}", query=f"q{q}", trajectory_recall=tr, output_recall=o, malformed=bad and i % 7 == 0)
        for i, (q, tr, o, bad) in enumerate(rows)
    ]
)


def trace(id, tr, out, query=None, malformed=False):
    return Trace(id=id, query=query or id, trajectory_recall=tr, output_recall=out, malformed=malformed)


@given(TRACES, st.integers(0, 3))
def test_the_rules_hold(traces, seed):
    done = recall_filter(traces, seed=seed)
    kept = [t for t in traces if t.id in set(done.kept)]
    assert {t.id for t in traces} == set(done.kept) | set(done.dropped)
    assert not set(done.kept) & set(done.dropped)
    assert sum(done.counts.values()) == len(traces)
    assert not any(t.malformed or t.trajectory_recall - t.output_recall > 0.4 for t in kept)
    zeros = [t for t in kept if t.output_recall == 0]
    assert len(zeros) <= 0.05 * len(kept)
    for some in (zeros, [t for t in kept if t.output_recall > 0.4]):
        assert len({t.query for t in some}) == len(some)


@given(TRACES)
def test_the_order_of_traces_does_not_matter(traces):
    assert set(recall_filter(traces, seed=1).kept) == set(recall_filter(traces[::-1], seed=1).kept)


def test_the_best_run_of_a_query_stays():
    done = recall_filter([trace("a", 0.6, 0.5, "q"), trace("b", 1.0, 0.9, "q"), trace("c", 1.0, 0.8, "q")], seed=0)
    assert done.kept == ("b",)


def test_below_the_bar_the_rate_is_recall_over_bar():
    done = recall_filter([trace(str(i), 0.1, 0.1) for i in range(4000)], seed=0)
    assert len(done.kept) / 4000 == pytest.approx(0.25, abs=0.03)


def test_failures_are_kept_on_purpose_but_few():
    traces = [trace(f"good{i}", 1.0, 1.0) for i in range(95)] + [trace(f"zero{i}", 0.0, 0.0) for i in range(50)]
    done = recall_filter(traces, seed=0)
    assert len(done.kept) == 100
    assert done.counts == {"kept": 100, "enough failures": 45}


def test_reasons_are_given():
    done = recall_filter([trace("a", 0.9, 0.4, malformed=True), trace("b", 0.9, 0.3)], seed=0)
    assert done.dropped == {"a": "malformed", "b": "found and not selected"}


def test_what_is_no_recall_is_refused():
    with pytest.raises(DataError, match="a recall lies in"):
        recall_filter([trace("a", float("nan"), 0.0)], seed=0)
    with pytest.raises(DataError, match="twice"):
        recall_filter([trace("a", 0.0, 0.0)] * 2, seed=0)
