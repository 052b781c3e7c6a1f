"""The numbers of the Context-1 report, and what must hold for every episode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import ConfigError, DataError
from trivium.reward import (
    Context1Reward,
    SearchFacts,
    SearchRecord,
    beta2,
    f_beta,
    fact_precision,
    fact_recall,
    gold_kept,
    malformed_penalty,
    prune_accuracy,
    prune_penalty,
    turn_penalty,
)

REWARD = Context1Reward()
FACTS = SearchFacts((frozenset({"a1", "a2"}), frozenset({"b"})))


def make_record(
    output: tuple[str, ...] = (), met: frozenset[str] = frozenset(), turns: int = 4, **more: object
) -> SearchRecord:
    defaults: dict[str, object] = {"prune_only": (False,) * turns}
    return SearchRecord(met=met, output=output, turns=turns, **(defaults | more))  # type: ignore[arg-type]


def total(record: SearchRecord, weight: float = 16.0, reward: Context1Reward = REWARD) -> float:
    return reward.terms(FACTS, record, weight)["reward"]


@pytest.mark.parametrize(
    ("precision", "recall", "expected"), [(1, 0.5, 0.515), (0.5, 1, 0.944), (0, 0, 0), (1, 1, 1), (0, 1, 0)]
)
def test_f_with_beta_4(precision: float, recall: float, expected: float) -> None:
    assert f_beta(precision, recall, 16) == pytest.approx(expected, abs=5e-4)


def test_beta2_anneals_from_16_to_4_between_epochs() -> None:
    assert [beta2(epoch, 5) for epoch in range(5)] == [16, 13, 10, 7, 4]
    assert beta2(0, 1) == 4
    with pytest.raises(ValueError, match="epoch is 5 of 5"):
        beta2(5, 5)


@pytest.mark.parametrize(("length", "penalty"), [(3, 0), (4, 0.1), (8, 0.5), (20, 0.5)])
def test_a_streak_of_pruning_turns(length: int, penalty: float) -> None:
    assert prune_penalty([True] * length) == pytest.approx(penalty)
    assert prune_penalty([False, *[True] * length, False]) == pytest.approx(penalty)


def test_streaks_add_and_a_search_between_ends_one() -> None:
    assert prune_penalty([True] * 5 + [False] + [True] * 4) == pytest.approx(0.3)
    assert prune_penalty([True, True, True, False] * 9) == 0


@pytest.mark.parametrize(("turns", "penalty"), [(0, 0), (64, 0), (96, 0.25), (128, 0.5), (200, 0.5)])
def test_the_cost_of_turns(turns: int, penalty: float) -> None:
    assert turn_penalty(turns) == penalty


def test_malformed_calls_cost_up_to_a_cap() -> None:
    assert [malformed_penalty(count) for count in (0, 1, 3, 50)] == pytest.approx([0, 0.1, 0.3, 0.3])


def test_a_fact_counts_once_whichever_of_its_chunks_is_found() -> None:
    assert fact_recall(FACTS, {"a1"}) == fact_recall(FACTS, {"a2"}) == fact_recall(FACTS, {"a1", "a2"}) == 0.5
    assert fact_precision(FACTS, ("a1", "a2", "x")) == fact_precision(FACTS, ("a1", "x")) == 0.5
    assert fact_precision(FACTS, ()) == fact_precision(FACTS, ("x",)) == 0


def test_pruned_chunks_count_for_trajectory_recall() -> None:
    """The record's `met` holds what was pruned too; only the output decides the rest."""
    terms = REWARD.terms(FACTS, make_record(("b",), frozenset({"a1", "b", "x"}), answered=True), 16)
    assert terms["r_traj"] == 1
    assert terms["recall"] == 0.5
    assert terms["r_fa"] == 1
    assert terms["reward"] == pytest.approx(0.7 * f_beta(1, 0.5, 16) + 0.3 + 1)


def test_a_perfect_run_earns_two() -> None:
    assert total(make_record(("a1", "b"), frozenset({"a1", "b"}), answered=True)) == pytest.approx(2.0)


def test_a_completed_run_never_falls_below_the_floor_but_for_malformed_calls() -> None:
    nothing = make_record(turns=200, prune_only=(True,) * 200)
    assert total(nothing) == 0.001
    assert total(make_record(malformed=9)) == pytest.approx(0.001 - 0.3)


def test_what_was_returned_but_never_met_is_counted() -> None:
    terms = REWARD.terms(FACTS, make_record(("a1", "b"), frozenset({"a1"})), 16)
    assert terms["output_unmet"] == 1


def test_weights_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="prune_cost is -1"):
        Context1Reward(prune_cost=-1)
    with pytest.raises(ConfigError, match="turn_free is 9, turn_full 9"):
        Context1Reward(turn_free=9, turn_full=9)


def test_facts_and_records_that_cannot_be_are_refused() -> None:
    for gold in ((), (frozenset(),)):
        with pytest.raises(DataError, match="at least one fact"):
            SearchFacts(gold)
    with pytest.raises(DataError, match="4 turns and 1 in prune_only"):
        make_record(prune_only=(True,))


def test_prune_accuracy_counts_duplicates() -> None:
    assert prune_accuracy([], {"a"}) is None
    assert prune_accuracy(["x", "x", "a", "y"], {"a"}) == 0.75


def test_gold_is_kept_while_one_met_chunk_of_the_fact_is_in_sight() -> None:
    assert gold_kept(["a1"], {"a1", "b"}, FACTS) == 0.5
    assert gold_kept(["a1"], {"a1", "a2", "b"}, FACTS) == 1
    assert gold_kept(["a1"], {"x"}, FACTS) is None


IDS = st.sampled_from(["a1", "a2", "b", "x", "y"])


@st.composite
def records(draw: st.DrawFn) -> SearchRecord:
    prune_only = tuple(draw(st.lists(st.booleans(), max_size=150)))
    return SearchRecord(
        met=draw(st.frozensets(IDS)),
        output=tuple(draw(st.lists(IDS, max_size=8))),
        turns=len(prune_only),
        prune_only=prune_only,
        malformed=draw(st.integers(0, 20)),
    )


@given(records(), st.floats(4, 16))
def test_bounds(record: SearchRecord, weight: float) -> None:
    reward = total(record, weight)
    assert reward <= 2.0 + 1e-12
    assert reward >= 0.001 - 0.3 - 1e-12


@given(records(), st.floats(4, 16), st.integers(1, 40))
def test_more_to_punish_never_raises_the_reward(record: SearchRecord, weight: float, more: int) -> None:
    def with_(**changes: object) -> float:
        fields = {name: getattr(record, name) for name in record.__struct_fields__} | changes
        return total(SearchRecord(**fields), weight)

    free = with_(turns=0, prune_only=(), malformed=0)
    now = with_()
    assert now <= free
    assert with_(malformed=record.malformed + more) <= now
    assert with_(turns=record.turns + more, prune_only=record.prune_only + (True,) * more) <= now
