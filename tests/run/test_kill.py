"""kill -9 at any moment: nothing finished is lost, nothing is trained twice, the plan goes on where it was."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .lives import Moment, Nurse, length, spans
from .small import GROUPS
from .trial import Trial, Whole, facts

STEPS, SEED, TRIES = 12, 3, 20
PHASES = {
    "rollout": ("rollout",),
    "step": ("step",),
    "save": ("deliver", "write", "flush", "collect"),
    "commit": ("named",),
}
"""The marks (nurse.py) of each phase; `commit` lies between the files of a checkpoint and its line in the ledger."""
AIMS = {
    "rollout": ["at rollout"] * 4 + ["stored"] * 3,
    "step": ["at step"] * 7,
    "save": ["at deliver", "at write", "at write", "at flush"],
    "commit": ["at named"] * 3,
}
"""After which lines to kill, by the phase that must be hit."""


@pytest.fixture(scope="module")
def nurse(model_folder: Path) -> Iterator[Nurse]:
    nurse = Nurse(model_folder, STEPS)
    yield nurse
    nurse.close()


@pytest.fixture(scope="module")
def whole(nurse: Nurse, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    run = tmp_path_factory.mktemp("whole") / "run"
    life = nurse.live(run)
    assert len(life.planned) == STEPS * GROUPS
    return Whole(run, life, facts(run))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_kills_at_random_moments_lose_nothing(nurse: Nurse, whole: Whole, tmp_path: Path) -> None:
    rng, span = random.Random(SEED), length(whole.life)
    trial = Trial(nurse, whole, tmp_path / "run")
    while trial.tally.landed.total() < 20:
        trial.live(Moment("at start", 1, rng.uniform(0, span / 4)))
    trial.finish()
    print(f"\nat random: {trial.tally}")
    assert trial.tally.damage == [], str(trial.tally)
    assert trial.tally.landed.total() == 20
    assert set(trial.tally.landed) - {"start"}, "every kill fell before the run had begun"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kills_in_every_phase_lose_nothing(nurse: Nurse, whole: Whole, tmp_path: Path) -> None:
    rng, stays = random.Random(SEED), spans(whole.life)
    aims = [(phase, line) for phase, lines in AIMS.items() for line in lines]
    rng.shuffle(aims)
    trial = Trial(nurse, whole, tmp_path / "run")
    hits = Counter(phase for phase, line in aims if hit(trial, phase, line, stays, rng))
    trial.finish()
    print(f"\nby phase: {dict(hits)} of {trial.tally}")
    assert trial.tally.damage == [], str(trial.tally)
    assert hits == {phase: len(lines) for phase, lines in AIMS.items()}
    assert trial.tally.split, "no kill left a step half rolled out"


def hit(trial: Trial, phase: str, line: str, stays: dict[str, float], rng: random.Random) -> bool:
    """Kill after a line until a kill falls in the phase; one that falls beside it counts as a kill all the same."""
    for _ in range(TRIES):
        nth = rng.randint(1, 5) if line == "stored" else rng.randint(1, 2)
        if trial.live(Moment(line, nth, rng.uniform(0, 0.8) * stays.get(line, 0))) in PHASES[phase]:
            return True
    return False
