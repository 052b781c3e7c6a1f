"""kill -9 at any moment: every acknowledged put and commit is there, and no half of anything."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from trivium.episode import Life
from trivium.store import RunStore

WRITER = Path(__file__).with_name("writer.py")
SIZE = 6


def _kill_a_writer(nurse: "subprocess.Popen[str]", folder: Path, delay: float) -> list[str]:
    """Kill a new writer `delay` seconds after it opened the run; returns the lines by which it acknowledged work."""
    assert nurse.stdin is not None
    assert nurse.stdout is not None
    print(folder, file=nurse.stdin, flush=True)
    pid = int(nurse.stdout.readline().removeprefix("ready "))
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    return list(_said(nurse))


def _said(nurse: "subprocess.Popen[str]") -> Iterator[str]:
    """Lines until the nurse says that the writer is dead; a nurse that is silent for a minute is killed."""
    assert nurse.stdout is not None
    watchdog = threading.Timer(60, nurse.kill)
    watchdog.start()
    try:
        for line in iter(nurse.stdout.readline, "dead\n"):
            assert line, "the nurse is gone"
            if line.strip():
                yield line.rstrip("\n")
    finally:
        watchdog.cancel()


def _check(folder: Path, puts: set[str], commits: set[int]) -> int:
    with RunStore(folder) as store:
        known = set(store.episodes.ids())
        assert puts <= known, "an acknowledged episode is lost"
        assert len(list(store.episodes.find())) == len(known), "a record is torn"
        steps = [commit.step for commit in store.ledger.commits()]
        assert commits <= set(steps), "an acknowledged commit is lost"
        trained = [member.episode for step in steps for member in store.ledger.members(step)]
        assert len(trained) == len(set(trained)) == SIZE * len(steps), "half a batch"
        assert set(store.episodes.ids(life=Life.TRAINED)) == set(trained)
        assert len(store.journal.curve("loss")) == len(steps)
        store.checkpoints.collect()
        folders = {f"checkpoints/{path.name}" for path in (folder / "checkpoints").iterdir()}
        assert folders == {commit.checkpoint for commit in store.ledger.commits()}
    with sqlite3.connect(folder / "run.db") as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    raw.close()
    return len(steps)


MOST = 100
"""Kills at most: on a busy machine a writer lives too short a time to commit much."""


def test_twenty_kills_lose_nothing_and_tear_nothing(tmp_path: Path) -> None:
    draw = random.Random(0)
    folder, puts, commits, steps = tmp_path / "run", set[str](), set[int](), 0
    with subprocess.Popen([sys.executable, WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as nurse:
        for kill in range(MOST):
            if kill >= 20 and steps >= 5:
                break
            for line in _kill_a_writer(nurse, folder, draw.uniform(0, 0.2)):
                done, _, name = line.partition(" ")
                if done == "put":
                    puts.add(name)
                elif done == "commit":
                    commits.add(int(name))
            steps = _check(folder, puts, commits)
    assert steps >= 5, "the writer hardly wrote: the test proves nothing"
