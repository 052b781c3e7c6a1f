import math

from trivium.store import RunStore

from .builders import checkpoint


def commit(store: RunStore, step: int, metrics: dict[str, float]) -> None:
    store.ledger.commit_batch(step, [], weights=f"w{step}", checkpoint=checkpoint(store, step), metrics=metrics)


def test_a_curve_has_one_value_per_step(store: RunStore) -> None:
    commit(store, 1, {"loss": 0.9})
    commit(store, 2, {"loss": 0.3, "other": 7})
    assert store.journal.curve("loss") == [(1, 0.9), (2, 0.3)]
    assert store.journal.metric_names() == ["loss", "other"]


def test_nan_and_infinity_are_kept_for_the_detectors(store: RunStore) -> None:
    commit(store, 1, {"loss": math.nan, "norm": math.inf})
    assert math.isnan(store.journal.curve("loss")[0][1])
    assert store.journal.curve("norm") == [(1, math.inf)]


def test_events_are_found_by_kind_in_order(store: RunStore) -> None:
    store.journal.add_event("skip", "group g1 is constant", {"group": "g1"})
    store.journal.add_event("resume", "at step 3")
    store.journal.add_event("skip", "group g2 is constant")
    assert [event.text for event in store.journal.events("skip")] == ["group g1 is constant", "group g2 is constant"]
    assert store.journal.events()[0].data == {"group": "g1"}
