from pathlib import Path

import pytest

from trivium.episode import StoreError
from trivium.store import RunStore

from .builders import checkpoint


def _names(store: RunStore) -> list[str]:
    return sorted(path.name for path in (store.folder / "checkpoints").iterdir())


def _commit(store: RunStore, step: int) -> None:
    store.ledger.commit_batch(step, [], weights=f"w{step}", checkpoint=checkpoint(store, step))


def test_a_folder_without_a_commit_is_collected(store: RunStore) -> None:
    _commit(store, 1)
    checkpoint(store, 2)
    (store.folder / "checkpoints" / "step-000003.partial").mkdir()
    assert store.checkpoints.collect() == ["checkpoints/step-000002", "checkpoints/step-000003.partial"]
    assert _names(store) == ["step-000001"]


def test_keeping_the_newest(store: RunStore) -> None:
    for step in (1, 2, 3):
        _commit(store, step)
    store.checkpoints.collect(keep=2)
    assert _names(store) == ["step-000002", "step-000003"]
    with pytest.raises(ValueError, match="at least 1"):
        store.checkpoints.collect(keep=0)


def test_a_failed_write_leaves_no_folder(store: RunStore) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match=r"step-000001 was not written .*No space left"):
        store.checkpoints.write(1, fail)
    assert _names(store) == []


def test_an_orphan_of_a_crash_is_replaced_and_a_committed_folder_is_not(store: RunStore) -> None:
    checkpoint(store, 1)
    _commit(store, 1)
    with pytest.raises(StoreError, match="belongs to a committed step"):
        checkpoint(store, 1)
