"""The page of results."""

import runpy
from pathlib import Path

import pytest

tool = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "results.py"))
row, tables, glossary = tool["row"], tool["tables"], tool["glossary"]


@pytest.mark.parametrize(
    ("ends", "shown"), [({"low": 0.1, "high": 0.9}, "0.100 .. 0.900"), ({"low": None, "high": None}, ""), ({}, "")]
)
def test_a_figure_without_an_interval_shows_none(ends: dict[str, float | None], shown: str) -> None:
    assert row({"name": "reward", "value": 0.5, "n": 1, **ends}) == f"| reward | 0.500 | {shown} | 1 |  |"


def figure(name: str, value: float, n: int = 9) -> dict[str, object]:
    return {"name": name, "value": value, "low": value - 0.1, "high": value + 0.1, "n": n}


def test_arms_are_rows_with_the_start_first_and_differences_a_table_of_their_own() -> None:
    figures = [figure("bm25: reward", 0.3), figure("start: reward", 0.5), figure("start: r_fa", 0.2)]
    figures += [figure("after - start: reward", 0.4), figure("start: searches", 2.0, n=7)]
    shown = "\n".join(tables(figures)).split("\n\n")
    assert shown[0].splitlines() == [
        "| policy (n = 9) | reward | answer found |",
        "|---|---|---|",
        "| start | 0.500 (0.400 .. 0.600) | 0.200 (0.100 .. 0.300) |",
        "| BM25, one query | 0.300 (0.200 .. 0.400) | - |",
    ]
    assert "| after RL - start | 0.400 (0.300 .. 0.500) |" in shown[1]
    assert "| start | 2.000 (1.900 .. 2.100) |" in shown[2]
    assert len(shown) == 3


def test_no_figure_is_lost_whatever_its_name_and_bar() -> None:
    figures = [figure("a: b", 0.11), figure("plain", 0.22), figure("start: reward", 0.33) | {"bar": 0.3}]
    figures += [figure("start: recall", 0.44), figure("x, after: f1", 0.55, n=3)]
    text = "\n".join(tables(figures))
    assert all(f"{one['value']:.3f} (" in text or f"| {one['value']:.3f} | " in text for one in figures)
    assert "| x, after RL |" in text


def test_every_metric_of_the_page_is_explained() -> None:
    used = glossary([{"figures": [figure("start: r_fa", 0.1), figure("start: unknown", 0.1)]}])
    assert "| answer found | " in used
    assert "recall" not in used
