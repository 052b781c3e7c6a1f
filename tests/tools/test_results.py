"""The page of results."""

import runpy
from pathlib import Path

import pytest

row = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "results.py"))["row"]


@pytest.mark.parametrize(
    ("ends", "shown"), [({"low": 0.1, "high": 0.9}, "0.100 .. 0.900"), ({"low": None, "high": None}, ""), ({}, "")]
)
def test_a_figure_without_an_interval_shows_none(ends: dict[str, float | None], shown: str) -> None:
    assert row({"name": "reward", "value": 0.5, "n": 1, **ends}) == f"| reward | 0.500 | {shown} | 1 |  |"
