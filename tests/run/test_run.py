from pathlib import Path

import pytest

from trivium.episode import ConfigError, Life
from trivium.run import Plan, Quiet
from trivium.run.scheduler import shuffled
from trivium.store import RunStore

from .small import TASKS, go


def ledger(folder: Path) -> list[tuple[int, str, tuple[tuple[str, float], ...]]]:
    with RunStore(folder, readonly=True) as store:
        return [
            (c.step, c.weights, tuple((m.episode, m.advantage) for m in store.members(c.step))) for c in store.commits()
        ]


def test_plan_is_a_pure_function_of_seed_and_place() -> None:
    one, two, other = Plan(TASKS, 2, 7), Plan(TASKS, 2, 7), Plan(TASKS, 2, 8)
    assert [one.step(s) for s in range(9)] == [two.step(s) for s in range(9)]
    assert [s.seed for s in one.step(0)] != [s.seed for s in other.step(0)]
    places = [slot for step in range(10) for slot in one.step(step)]
    for epoch in range(4):
        tasks = [slot.task.id for slot in places if slot.epoch == epoch]
        assert sorted(tasks) == sorted(task.id for task in TASKS)


def test_run_trains_every_step_and_reports(model_folder: Path, tmp_path: Path) -> None:
    report = go(str(model_folder), str(tmp_path / "run"), 2, measured=3)
    assert report.steps == 2
    assert set(report.arms) == {"start", "after"}
    assert (tmp_path / "run" / "report.json").read_text() == report.text()
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert len(store.curve("term.reward")) == 2
        assert max(value for _, value in store.curve("parity.max_log_ratio")) < 1e-4
        assert store.count_lives(step=0).get(Life.TRAINED, 0) + len(store.dropped(0)) == 6


class StoppedError(Exception):
    pass


class StopsAfter(Quiet):
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def trained(self, step: int, metrics: object) -> None:
        if step + 1 == self.steps:
            raise StoppedError


def test_resumed_run_equals_an_uninterrupted_one(model_folder: Path, tmp_path: Path) -> None:
    go(str(model_folder), str(tmp_path / "whole"), 3)
    with pytest.raises(StoppedError):
        go(str(model_folder), str(tmp_path / "parts"), 3, progress=StopsAfter(2))
    assert len(ledger(tmp_path / "parts")) == 2
    go(str(model_folder), str(tmp_path / "parts"), 3, resume=True)
    assert ledger(tmp_path / "whole") == ledger(tmp_path / "parts")


def test_existing_run_needs_resume(model_folder: Path, tmp_path: Path) -> None:
    go(str(model_folder), str(tmp_path / "run"), 1)
    with pytest.raises(ConfigError, match="--resume"):
        go(str(model_folder), str(tmp_path / "run"), 1)
    go(str(model_folder), str(tmp_path / "run"), 1, resume=True)
    assert len(ledger(tmp_path / "run")) == 1


def test_shuffled_rewards_stay_in_their_group_and_touch_nothing_else(model_folder: Path, tmp_path: Path) -> None:
    go(str(model_folder), str(tmp_path / "run"), 1)
    with RunStore(tmp_path / "run", readonly=True) as store:
        episodes = list(store.episodes(step=0))
    mixed = shuffled(episodes, 1)
    for group in {episode.group for episode in episodes}:
        before = sorted(e.outcome.reward for e in episodes if e.group == group)
        assert sorted(e.outcome.reward for e in mixed if e.group == group) == before
    assert {e.id for e in mixed} == {e.id for e in episodes}
    assert all(e.terms()["reward"] == e.outcome.reward for e in episodes)
