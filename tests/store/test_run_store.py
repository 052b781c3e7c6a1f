import os
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import trivium.store
from trivium.episode import ConfigError, StoreError
from trivium.store import Commit, RunStore

from .builders import checkpoint, make_episode

HOLD = """
import sys, time
from trivium.store import RunStore
store = RunStore(sys.argv[1])
print("open", flush=True)
time.sleep(60)
"""


def test_the_door() -> None:
    names = """
    Commit Event Member Note Row RunStore cache_home checkpoint_name ordinal run_at step_of write_file write_folder
    """
    assert trivium.store.__all__ == names.split()


def test_a_run_is_found_again(tmp_path: Path) -> None:
    with RunStore(tmp_path / "a" / "run") as store:
        store.episodes.put(make_episode("e1"))
    assert not (tmp_path / "a" / "run" / "run.db-wal").exists()
    with RunStore(tmp_path / "a" / "run") as store:
        assert store.episodes.ids() == ["e1"]


def test_one_writer_and_many_readers(store: RunStore) -> None:
    with pytest.raises(StoreError, match=rf"is being written by process {os.getpid()} on .*; stop it"):
        RunStore(store.folder)
    with RunStore(store.folder, readonly=True) as reader:
        store.episodes.put(make_episode("e1"))
        assert reader.episodes.ids() == ["e1"]
        with pytest.raises(StoreError, match="may not be written"):
            reader.episodes.put(make_episode("e2"))


def test_the_lock_of_a_dead_owner_is_taken_over(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match=f"process {owner.pid} "):
            RunStore(tmp_path)
        owner.kill()
        owner.wait()
        RunStore(tmp_path).close()


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    child = os.fork()
    if child == 0:
        time.sleep(5)
        os._exit(0)
    store.close()
    with RunStore(tmp_path) as again:
        assert again.ledger.latest() is None
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "the child ended too early to prove anything"
    os.kill(child, 9)
    os.waitpid(child, 0)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    RunStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "run.db") as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match=r"has schema 99 and this Trivium reads up to \d+; upgrade Trivium"):
        RunStore(tmp_path)


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    RunStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "run.db") as raw:
        raw.execute("ALTER TABLE batches ADD COLUMN cursor VARCHAR NOT NULL DEFAULT 'null'")
        raw.execute("ALTER TABLE batches DROP COLUMN parent")
        raw.execute("ALTER TABLE members DROP COLUMN rows")
        raw.execute("PRAGMA user_version = 1")
    raw.close()
    with RunStore(tmp_path, readonly=True) as reader:
        assert reader.ledger.latest() is None
        assert reader.ledger.members(0) == []
    for step in (1, 2):
        with RunStore(tmp_path) as store:
            store.ledger.commit_batch(step, [], weights="w", checkpoint=checkpoint(store, step))
            assert store.ledger.latest() == Commit(step, "w", f"checkpoints/step-{step:06d}")


def test_another_database_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "run.db") as raw:
        raw.execute("CREATE TABLE recipes (name)")
    raw.close()
    with pytest.raises(StoreError, match="not of a Trivium run"):
        RunStore(tmp_path)


def test_a_damaged_database_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_bytes(b"this is not a database at all" * 100)
    for _ in range(2):  # the first refusal leaves no lock behind
        with pytest.raises(StoreError, match="it is no database; restore it from a copy"):
            RunStore(tmp_path)


def test_damage_inside_is_reported_when_it_is_read(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store.episodes.put_many([make_episode(f"e{i}") for i in range(100)])
    with (tmp_path / "run.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * ((tmp_path / "run.db").stat().st_size - 4096))
    with pytest.raises(StoreError, match="it is damaged; restore it"), RunStore(tmp_path) as store:
        list(store.episodes.find())


def test_a_missing_run_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no run in"):
        RunStore(tmp_path / "nowhere", readonly=True)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made or written"):
        RunStore(tmp_path / "file")


def test_a_run_keeps_its_recipe(store: RunStore) -> None:
    assert store.recipe is None
    store.write_recipe("steps = 1\n")
    store.write_recipe("steps = 1\n")
    with pytest.raises(StoreError, match="another recipe"):
        store.write_recipe("steps = 2\n")
    assert store.recipe == "steps = 1\n"
    store.write_report("{}")
    assert (store.folder / "report.json").read_text() == "{}"


def test_threads_may_put_at_the_same_time(store: RunStore) -> None:
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda i: store.episodes.put(make_episode(f"e{i}")), range(100)))
    assert all(done)
    assert len(store.episodes.ids()) == 100


def test_a_full_disk_is_one_sentence_and_loses_nothing_acknowledged(store: RunStore) -> None:
    with store._db.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 20}")
    put: list[str] = []
    with pytest.raises(StoreError, match="the disk is full; free some space and resume"):
        _fill(store, put)
    assert store.episodes.ids() == put
    with store._db.read() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    assert store.episodes.put(make_episode("after"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_really_full_disk(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no right to mount here")
    put: list[str] = []
    try:
        with RunStore(tmp_path / "run") as store:
            with pytest.raises(StoreError, match=r"full"):
                _fill(store, put)
            assert store.episodes.ids() == put
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    assert put


def _fill(store: RunStore, put: list[str]) -> None:
    for i in range(500):
        store.episodes.put(make_episode(f"e{i}"))
        put.append(f"e{i}")


@pytest.mark.parametrize("harm", ["half", "hole"])
def test_a_damaged_file_is_refused_at_opening(tmp_path: Path, harm: str) -> None:
    left = killed_run(tmp_path)
    file = left / "run.db"
    whole = file.read_bytes()
    middle = len(whole) // 8192 * 4096
    file.write_bytes(whole[:middle] if harm == "half" else whole[:middle] + bytes(8192) + whole[middle + 8192 :])
    for _ in range(2):
        with pytest.raises(StoreError, match=r"it is damaged; restore it from a copy") as refused:
            RunStore(left)
        assert "\n" not in str(refused.value)


def killed_run(folder: Path) -> Path:
    """What a killed process leaves: most in `run.db`, the last episode in the log beside it."""
    with RunStore(folder / "run") as store:
        store.episodes.put_many([make_episode(f"e{number}") for number in range(200)])
    with RunStore(folder / "run") as store:
        store.episodes.put(make_episode("last"))
        return shutil.copytree(folder / "run", folder / "left")


def begun(folder: Path, *, keeps: bool) -> None:
    with RunStore(folder) as store:
        store.write_recipe("seed = 1\n")
        if keeps:
            store.episodes.put(make_episode("e1"))
        raise ConfigError("no")


def refused(folder: Path, *, keeps: bool = False) -> None:
    with pytest.raises(ConfigError, match="no"):
        begun(folder, keeps=keeps)


def test_a_run_that_is_refused_before_it_holds_anything_leaves_no_trace(tmp_path: Path) -> None:
    refused(tmp_path / "runs" / "a")
    assert not (tmp_path / "runs" / "a").exists()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    (mine / "recipe.toml").write_text("seed = 1\n")
    refused(mine)
    assert sorted(path.name for path in mine.iterdir()) == ["notes.txt", "recipe.toml"]


def test_a_run_that_holds_an_episode_is_kept_when_it_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "run", keeps=True)
    refused(tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.episodes.ids() == ["e1"]


def test_a_run_that_was_begun_before_is_never_removed(tmp_path: Path) -> None:
    RunStore(tmp_path / "run").close()
    refused(tmp_path / "run")
    assert (tmp_path / "run" / "run.db").is_file()
