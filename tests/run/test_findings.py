"""What the detectors find in a real run: kept with its step, told, reported, and heeded as the recipe says."""

from pathlib import Path

import pytest

import trivium as tv
from trivium.episode import Episode
from trivium.run import Quiet, Report, findings
from trivium.run.findings import PausedError
from trivium.store import RunStore
from trivium.web import finding_lines

from .small import TASKS, look_up, recipe

AT = 4
"""The step at which the window of the detectors is full: every group has equal rewards from the start."""


class Told(Quiet):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


def same(_: Episode) -> float:
    return 1.0


def world(task: tv.Task) -> tv.ToolEnvironment:
    return tv.ToolEnvironment(task, tools=[look_up], terms={"same": same})


def live(model: Path, run: Path, how: str, *, resume: bool = False, told: Told | None = None) -> Report:
    keys = recipe(str(model), 7)
    keys |= {"watch": {"on_finding": how}, "schedule": {"steps": 7, "groups": 1, "group_size": 2}}
    return tv.train(world, TASKS, run=run, recipe=keys, resume=resume, progress=told or Quiet())


def steps(run: Path) -> int:
    with RunStore(run, readonly=True) as store:
        return len(store.ledger.commits())


def test_a_finding_is_kept_told_and_reported_once(model_folder: Path, tmp_path: Path) -> None:
    told = Told()
    report = live(model_folder, tmp_path / "run", "log", told=told)
    assert [(one.kind, one.step) for one in report.findings] == [("constant_groups", AT)]
    assert set(report.findings[0].episodes) == {f"{AT:05d}-000-{number:03d}" for number in range(2)}
    assert [line for line in told.lines if line.startswith("finding: 100% of the episodes")]
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert findings(store) == report.findings
        assert "constant_groups" in next(iter(finding_lines(store)))
    assert report.steps == 7


def test_a_run_stops_at_a_finding_and_is_measured(model_folder: Path, tmp_path: Path) -> None:
    assert live(model_folder, tmp_path / "run", "stop").steps == AT + 1


def test_a_run_pauses_at_a_finding_and_goes_on_when_it_is_resumed(model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(PausedError, match=r"paused after step 5: 100% .* --resume"):
        live(model_folder, tmp_path / "run", "pause")
    assert steps(tmp_path / "run") == AT + 1
    assert live(model_folder, tmp_path / "run", "pause", resume=True).steps == 7
