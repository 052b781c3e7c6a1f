import sqlite3
from pathlib import Path

import pytest

from trivium.episode import Failed, Invalid, Life, Scored, StoreError
from trivium.store import RunStore

from .builders import make_episode


def test_an_episode_comes_back_as_it_was_put(store: RunStore) -> None:
    episode = make_episode("e1")
    assert store.episodes.put(episode, step=3)
    assert store.episodes.get("e1") == episode


def test_putting_twice_keeps_one_record_and_the_first_stands(store: RunStore) -> None:
    first, second = make_episode("e1"), make_episode("e1", outcome=Scored(9.0))
    assert store.episodes.put(first)
    assert not store.episodes.put(second)
    assert not store.episodes.put(first)
    assert store.episodes.get("e1") == first
    assert store.episodes.count_lives() == {Life.SCORED: 1}


def test_an_unfinished_episode_is_replaced_until_it_is_scored(store: RunStore) -> None:
    for life in (Life.RUNNING, Life.PAUSED, Life.RUNNING, Life.ENDED):
        assert store.episodes.put(make_episode("e1", life=life), step=1)
    assert not store.episodes.put(make_episode("e1", life=Life.PAUSED), step=1)
    assert store.episodes.put(make_episode("e1"), step=1)
    assert store.episodes.get("e1").life is Life.SCORED


def test_invalid_episodes_are_kept_counted_and_not_pending(store: RunStore) -> None:
    store.episodes.put_many([make_episode("ok"), make_episode("no", outcome=Failed(-0.35, "no answer"))], step=1)
    store.episodes.put(make_episode("bad", outcome=Invalid("tool", "the index is away")), step=1)
    assert store.episodes.count_outcomes(step=1) == {"scored": 1, "failed": 1, "invalid": 1}
    assert store.episodes.ids(outcome="invalid") == ["bad"]
    assert [episode.id for episode in store.episodes.pending(1)] == ["ok", "no"]


def test_a_redraw_replaces_an_invalid_episode_and_is_told(store: RunStore) -> None:
    store.episodes.put(make_episode("e1", outcome=Invalid("tool", "the index is away")))
    assert not store.episodes.put(make_episode("e1", outcome=Invalid("tool", "away again")))
    good = make_episode("e1")
    assert store.episodes.put(good)
    assert store.episodes.get("e1") == good
    assert not store.episodes.put(make_episode("e1", outcome=Invalid("tool", "late")))
    assert ["the index is away" in event.text for event in store.journal.events("invalid_replaced")] == [True]


def test_a_failing_put_many_writes_nothing(store: RunStore) -> None:
    with pytest.raises(StoreError, match="put as trained"):
        store.episodes.put_many([make_episode("good"), make_episode("bad", life=Life.TRAINED)])
    assert store.episodes.ids() == []


def test_nobody_but_the_ledger_makes_an_episode_trained(store: RunStore) -> None:
    with pytest.raises(StoreError, match="put as trained"):
        store.episodes.put(make_episode("e1", life=Life.TRAINED))


def test_iterating_finds_by_step_and_life_over_many_pages_while_others_write(store: RunStore) -> None:
    store.episodes.put_many([make_episode(f"a{i}") for i in range(150)], step=1)
    store.episodes.put_many([make_episode(f"b{i}", life=Life.PAUSED) for i in range(3)], step=2)
    seen = []
    for episode in store.episodes.find(step=1):
        seen.append(episode.id)
        store.episodes.put(make_episode(f"late-{episode.id}"), step=2)
    assert seen == [f"a{i}" for i in range(150)]
    assert [e.id for e in store.episodes.find(step=2, life=Life.PAUSED)] == ["b0", "b1", "b2"]


def test_a_torn_record_is_named(store: RunStore, tmp_path: Path) -> None:
    store.episodes.put(make_episode("e1"))
    with sqlite3.connect(store.folder / "run.db") as raw:
        raw.execute("UPDATE episodes SET record = substr(record, 1, 40)")
    raw.close()
    with pytest.raises(StoreError, match=r"episode e1 .*torn"):
        store.episodes.get("e1")


def test_an_unknown_id_is_refused(store: RunStore) -> None:
    with pytest.raises(StoreError, match="no episode ghost"):
        store.episodes.get("ghost")
