import math

import pytest

from trivium.episode import Invalid, Life, StoreError
from trivium.store import Commit, Member, Note, RunStore, ordinal, step_of

from .builders import checkpoint, make_episode


def _put(store: RunStore, *ids: str, step: int = 1) -> list[Member]:
    store.episodes.put_many([make_episode(name) for name in ids], step=step)
    return [Member(name, 0.5, ("w0", "w1")) for name in ids]


def test_a_fresh_run_has_no_commit(store: RunStore) -> None:
    assert store.ledger.latest() is None


def test_a_commit_is_what_a_resume_reads(store: RunStore) -> None:
    members = [Member(member.episode, 0.5, ("w0",), rows="digest") for member in _put(store, "b", "a")]
    folder = checkpoint(store, 1)
    notes = [Note("finding", "entropy fell", {"step": 1})]
    store.ledger.commit_batch(
        1, members, weights="w1", checkpoint=folder, parent="w0", metrics={"loss": 0.1}, notes=notes
    )
    assert store.ledger.latest() == Commit(1, "w1", folder, "w0")
    assert [(event.text, event.data) for event in store.journal.events("finding")] == [("entropy fell", {"step": 1})]
    assert store.journal.metrics(1) == {"loss": 0.1}
    assert store.ledger.members(1) == members
    assert store.episodes.get("a").life is Life.TRAINED
    assert store.journal.curve("loss") == [(1, 0.1)]


def test_people_name_a_commit_by_the_steps_that_are_done(store: RunStore) -> None:
    for step in range(3):
        store.ledger.commit_batch(step, [], weights=f"w{step}", checkpoint=checkpoint(store, step))
    assert [commit.steps_done for commit in store.ledger.commits()] == [1, 2, 3]
    assert [step_of(ordinal(step)) for step in range(3)] == [0, 1, 2]
    assert store.ledger.commit_at(2) == store.ledger.commits()[1]
    assert store.ledger.commit_at() == store.ledger.latest() == store.ledger.commit_at(3)
    assert store.ledger.commit_at(0) is store.ledger.commit_at(4) is None


def test_what_no_batch_took_is_still_pending(store: RunStore) -> None:
    members = _put(store, "a", "b", "c", "d")
    dropped = {"c": "constant group"}
    store.ledger.commit_batch(1, members[:2], weights="w1", checkpoint=checkpoint(store, 1), dropped=dropped)
    assert [episode.id for episode in store.episodes.pending(1)] == ["d"]
    assert store.ledger.dropped(1) == dropped


def test_an_episode_enters_one_batch_only_and_a_refused_commit_leaves_nothing(store: RunStore) -> None:
    first = _put(store, "a", "b")
    store.ledger.commit_batch(1, first, weights="w1", checkpoint=checkpoint(store, 1), dropped={})
    second = [*_put(store, "c", step=2), first[1]]
    folder = checkpoint(store, 2)
    with pytest.raises(StoreError, match="episode b is trained or dropped at step 2"):
        store.ledger.commit_batch(
            2, second, weights="w2", checkpoint=folder, metrics={"loss": 1.0}, notes=[Note("finding", "lost")]
        )
    assert store.ledger.latest() == Commit(1, "w1", "checkpoints/step-000001")
    assert store.episodes.get("c").life is Life.SCORED
    assert store.journal.curve("loss") == []
    assert store.journal.events("finding") == []
    assert store.ledger.members(2) == []


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ([Member("ghost", 1.0)], "episode ghost is in a batch but not in the store"),
        ([Member("a", 1.0), Member("a", 1.0)], "episode a is twice in this batch"),
        ([Member("bad", 1.0)], "episode bad is invalid and has no reward"),
        ([Member("going", 1.0)], "episode going is running and has no reward"),
        ([Member("a", math.nan)], "episode a has advantage nan"),
    ],
)
def test_a_batch_that_cannot_be_is_refused(store: RunStore, members: list[Member], sentence: str) -> None:
    _put(store, "a")
    store.episodes.put(make_episode("bad", outcome=Invalid("tool", "away")))
    store.episodes.put(make_episode("going", life=Life.RUNNING))
    with pytest.raises(StoreError, match=sentence):
        store.ledger.commit_batch(1, members, weights="w1", checkpoint=checkpoint(store, 1))
    assert store.ledger.latest() is None


def test_steps_only_rise_and_a_checkpoint_comes_first(store: RunStore) -> None:
    with pytest.raises(StoreError, match="write it before the commit"):
        store.ledger.commit_batch(1, [], weights="w1", checkpoint="checkpoints/step-000001")
    folder = checkpoint(store, 1)
    store.ledger.commit_batch(1, [], weights="w1", checkpoint=folder)
    with pytest.raises(StoreError, match="step 2 cannot be committed after step 2"):
        store.ledger.commit_batch(1, [], weights="w1", checkpoint=folder)


def test_a_large_batch_is_checked_whole(store: RunStore) -> None:
    members = _put(store, *(f"e{i}" for i in range(1200)))
    store.ledger.commit_batch(1, members, weights="w1", checkpoint=checkpoint(store, 1))
    assert store.ledger.members(1) == members
    assert store.episodes.count_lives() == {Life.TRAINED: 1200}
