from io import StringIO

import pytest
from rich.console import Console

from trivium.bench import METRICS, Interval
from trivium.cli.tables import arms_table, difference_table, recorded_lines


def figures(mean):
    return {"reward": Interval(mean, mean - 0.1, mean + 0.1, 9)}


def text(table, width=120):
    console = Console(width=width, file=StringIO())
    console.print(table)
    return console.file.getvalue()


def test_arms_stand_in_the_order_of_the_story():
    arms = {name: figures(0.5) for name in ("bm25", "ceiling", "start", "after", "mine")}
    shown = text(arms_table(arms, {"SFT control": figures(0.4)}))
    places = [
        shown.index(label)
        for label in (" start", "SFT control (recorded)", "after RL", "scripted ceiling", "BM25, one query", " mine")
    ]
    assert places == sorted(places)
    assert "0.40…0.60" in shown


def test_a_comparison_is_a_row_with_its_interval():
    shown = text(difference_table({"after - start": figures(0.2)}))
    for part in ("after RL - start", "reward", "+0.200", "+0.100…+0.300"):
        assert part in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_at_any_width_every_figure_is_whole(width):
    every = {metric: Interval(-0.5, -0.623, -0.401, 9) for metric in METRICS}
    arms = dict.fromkeys(("start", "after", "bm25"), every)
    for grid, ends in (
        (arms_table(arms, {"RL, shuffled": every}), "-0.62…-0.40"),
        (difference_table(arms), "-0.623…-0.401"),
    ):
        shown = text(grid, width)
        assert max(map(len, shown.splitlines())) <= width
        assert shown.count(ends) == len(METRICS) * len(grid.rows)


def test_one_task_has_a_mean_and_no_interval():
    one = {"reward": Interval(0.5, None, None, 1)}
    assert "n/a" in text(arms_table({"start": one}))
    shown = text(difference_table({"after - start": one}))
    assert "+0.500" in shown
    assert "n/a" in shown


def test_controls_that_were_never_recorded_are_said_to_be_missing():
    assert "not recorded" in recorded_lines({})[0]
