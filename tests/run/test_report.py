"""The report as a file: strict JSON, whatever was measured."""

import json
from pathlib import Path

import pytest

from trivium.config import Recipe
from trivium.run import Arm, read_report
from trivium.run.report import make_report


def refuse(constant: str) -> float:
    pytest.fail(f"{constant} is no JSON")


def test_one_task_is_reported_without_an_interval(tmp_path: Path) -> None:
    arms = [Arm(name, ("t",), {"reward": (value,)}) for name, value in (("start", 0.25), ("after", 0.5))]
    report = make_report(Recipe(), arms, [("start", "after")], 1, [], 0.0)
    read = json.loads(report.text(), parse_constant=refuse)
    assert read["arms"]["start"]["reward"] == {"mean": 0.25, "low": None, "high": None, "n": 1}
    assert read["differences"]["after - start"]["reward"]["low"] is None
    file = tmp_path / "report.json"
    file.write_text(report.text())
    assert read_report(file) == report
