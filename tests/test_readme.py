"""The script in the README runs as it stands, with fewer steps."""

import re
from pathlib import Path

import pytest

import trivium

README = Path(__file__).parents[1] / "README.md"


def script() -> str:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 1
    return blocks[0]


def test_the_example_trains_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script().replace('"steps": 8', '"steps": 1')
    assert text != script()
    monkeypatch.chdir(tmp_path)
    exec(compile(text, str(README), "exec"), {"tv": trivium})
    assert "Interval(" in capsys.readouterr().out
    assert (tmp_path / "runs" / "notes" / "report.json").is_file()


def test_the_example_is_about_twenty_lines() -> None:
    assert len([line for line in script().splitlines() if line.strip()]) <= 24
