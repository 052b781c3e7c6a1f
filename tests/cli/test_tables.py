from io import StringIO

from rich.console import Console

from trivium.bench import Interval
from trivium.cli.tables import arms_table, difference_lines, recorded_lines


def figures(mean):
    return {"reward": Interval(mean, mean - 0.1, mean + 0.1, 9)}


def text(table):
    console = Console(width=120, file=StringIO())
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


def test_a_comparison_is_a_line_with_its_interval():
    assert difference_lines({"after - start": figures(0.2)}) == ["after - start: reward +0.200 (+0.100 to +0.300)"]


def test_one_task_has_a_mean_and_no_interval():
    one = {"reward": Interval(0.5, None, None, 1)}
    assert "n/a" in text(arms_table({"start": one}))
    assert difference_lines({"after - start": one}) == ["after - start: reward +0.500 (n/a)"]


def test_controls_that_were_never_recorded_are_said_to_be_missing():
    assert "not recorded" in recorded_lines({})[0]
