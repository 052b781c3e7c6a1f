"""Few hops first, then all."""

import pytest

from trivium.episode import ConfigError, Task
from trivium.run import Plan

TASKS = [Task(id=f"t{hops}-{n}", prompt="ask", data={"hops": hops}) for hops in (3, 2) for n in range(5)]


def drawn(plan, steps):
    return [group.task.id for step in steps for group in plan.step(step)]


def test_the_first_epochs_draw_the_shortest_chains_evenly_and_later_ones_all():
    plan = Plan(TASKS, 2, 7, short_first=2)
    early = drawn(plan, range(10))
    assert {early.count(f"t2-{n}") for n in range(5)} == {4}
    assert len(early) == 20
    assert sorted(drawn(plan, range(10, 15))) == sorted(task.id for task in TASKS)
    assert [plan.step(step)[0].epoch for step in (0, 4, 5, 9, 10)] == [0, 0, 1, 1, 2]


def test_later_epochs_are_those_of_a_plan_without_a_curriculum():
    plain, staged = Plan(TASKS, 2, 7), Plan(TASKS, 2, 7, short_first=1)
    assert drawn(plain, range(5, 15)) == drawn(staged, range(5, 15))
    assert drawn(plain, range(5)) != drawn(staged, range(5))


def test_tasks_of_one_length_have_no_short_ones():
    with pytest.raises(ConfigError, match="no task has more hops than another"):
        Plan(TASKS[:5], 2, 7, short_first=1)
