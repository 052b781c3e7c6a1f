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
STEPS, KILLS = 6, 20


def lives(model: Path, run: Path, seconds: float) -> bool:
    """Start or resume the run; True when it ended by itself, False when it was killed (SIGKILL) after `seconds`."""
    command = [sys.executable, SCRIPT, str(model), str(run), str(STEPS)]
    if (run / "run.db").exists():
        command.append("--resume")
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return True


def finished(run: Path) -> set[str]:
    if not (run / "run.db").exists():
        return set()
    with RunStore(run, readonly=True) as store:
        return set(store.ids())


def members(run: Path) -> list[tuple[int, list[str]]]:
    return [(step, [name for name, _ in batch]) for step, _, batch in ledger(run)]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_kills_lose_nothing(model_folder: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    began = time.monotonic()
    assert lives(model_folder, whole, 300)
    span = time.monotonic() - began
    rng = random.Random(3)
    kills, known, ended = 0, set(), False
    while not (ended and kills >= KILLS):
        if ended:  # it came to its end before enough kills: begin again from nothing
            shutil.rmtree(broken)
            known = set()
        ended = lives(model_folder, broken, rng.uniform(0.3, 1.0) * span if kills < KILLS else 300)
        kills += not ended
        now = finished(broken)
        assert known <= now, "an episode that was finished before the kill is gone"
        known = now
    assert members(broken) == members(whole)
    trained = [name for _, names in members(broken) for name in names]
    assert len(trained) == len(set(trained))
    print(f"{kills} kills, {len(known)} episodes kept")
