"""The report as a file: strict JSON, whatever was measured."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trivium.config import Recipe
from trivium.run import Arm, read_report
from trivium.run.report import command, commit, make_report


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


def test_the_command_is_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/venv/bin/trivium", "train", "a b.toml"])
    assert command() == "trivium train 'a b.toml'"
    monkeypatch.setattr(sys, "argv", ["mine.py", "--steps", "3"])
    monkeypatch.setattr(sys, "orig_argv", ["/usr/bin/python3", "mine.py", "--steps", "3"])
    assert command() == "python3 mine.py --steps 3"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_repository_around_an_installed_package_is_not_its_commit(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        own = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", tmp_path, *own, *words], check=True, capture_output=True)

    file = tmp_path / "site-packages" / "report.py"
    file.parent.mkdir()
    file.write_text("1")
    (tmp_path / "mine.py").write_text("1")
    assert commit(file) == ""
    git("init", "-q")
    git("add", "mine.py")
    git("commit", "-qm", "theirs")
    assert commit(file) == ""
    git("add", ".")
    git("commit", "-qm", "tracked")
    assert len(commit(file)) == 12
    file.write_text("2")
    assert commit(file).endswith("-dirty")
