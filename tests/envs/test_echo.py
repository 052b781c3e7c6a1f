"""Copy drills: the line is asked for by a name of its own, and only the line is right."""

import pytest

from trivium.envs import echo, echo_tasks

from .builders import live

PIECES = ["ab", "cde", "fo", "gil", "mupo", "re"]


def test_a_drill_shows_its_line_under_its_name():
    tasks = echo_tasks(PIECES, 50, 3)
    assert echo_tasks(PIECES, 50, 3) == tasks != echo_tasks(PIECES, 50, 4)
    for task in tasks:
        *lines, asked = task.prompt.split("\n")
        said = dict(line.split(": ") for line in lines)
        assert said[asked.removeprefix("Say ")] == task.data["line"]
    assert {len(task.prompt.split("\n")) - 1 for task in tasks} == set(range(1, 7))


@pytest.mark.parametrize("said", ["", "something else"])
def test_another_line_is_wrong(said):
    (task,) = echo_tasks(PIECES, 1, 0)
    assert live(echo(task), said).terms()["reward"] == 0.0
