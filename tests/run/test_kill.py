"""kill -9 at random moments: nothing finished is lost, nothing is trained twice, the plan goes on where it was."""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trivium.store import RunStore

from .test_run import ledger

SCRIPT = str(Path(__file__).with_name("small.py"))
STEPS = 6


def start(model: Path, run: Path, resume: bool) -> "subprocess.Popen[bytes]":
    command = [sys.executable, SCRIPT, str(model), str(run), str(STEPS), *(["--resume"] if resume else [])]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finished(run: Path) -> set[str]:
    if not (run / "run.db").exists():
        return set()
    with RunStore(run, readonly=True) as store:
        return set(store.ids())


@pytest.mark.slow
def test_twenty_kills_lose_nothing(model_folder: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    began = time.monotonic()
    assert start(model_folder, whole, False).wait(300) == 0
    span = time.monotonic() - began
    rng = random.Random(3)
    kills, known = 0, set()
    for _ in range(200):
        process = start(model_folder, broken, resume=(broken / "run.db").exists())
        try:
            process.wait(rng.uniform(0.3, 1.0) * span if kills < 20 else 300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(30)
            kills += 1
        else:
            assert process.returncode == 0, process.stderr.read().decode()[-2000:]
        now = finished(broken)
        assert known <= now, "an episode that was finished before the kill is gone"
        known = now
        if process.returncode == 0 and kills >= 20:
            break
        if process.returncode == 0:  # it ended before the kill: begin again from nothing
            shutil.rmtree(broken)
            known = set()
    assert kills >= 20
    assert [(step, [m[0] for m in members]) for step, _, members in ledger(broken)] == [
        (step, [m[0] for m in members]) for step, _, members in ledger(whole)
    ]
    trained = [name for _, _, members in ledger(broken) for name, _ in members]
    assert len(trained) == len(set(trained))
