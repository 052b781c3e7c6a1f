"""What a run refuses, in one sentence, and what it leaves behind: nothing that stands in the way of the next try."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import trivium as tv
from trivium.episode import BoundaryError, ConfigError, DataError, Environment, Invalid, SandboxError
from trivium.run import Report
from trivium.store import RunStore

from .small import TASKS, letters, look_up, recipe

Factory = Callable[[tv.Task], Environment]


def trained(
    factory: Factory, model: Path, run: Path, *, tasks: int = 5, measured: int = 2, **options: object
) -> Report:
    keys = {**recipe(str(model), 1), **{name: options.pop(name) for name in ("budget", "schedule") if name in options}}
    return tv.train(factory, TASKS[:tasks], TASKS[:measured], run=run, recipe=keys, **options)  # type: ignore[arg-type]


def world(task: tv.Task, term: Callable[[tv.Episode], float] = letters) -> Environment:
    return tv.ToolEnvironment(task, tools=[look_up], terms={"letters": term})


def test_a_start_that_is_refused_does_not_block_the_next(model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none of the 5 training tasks fits: .*; raise budget"):
        trained(world, model_folder, tmp_path / "run", budget={"window": 64})
    assert not (tmp_path / "run").exists()
    assert trained(world, model_folder, tmp_path / "run", measured=0).steps == 1


def test_a_task_that_does_not_fit_is_left_out_before_training(model_folder: Path, tmp_path: Path) -> None:
    long = tv.Task(id="long", prompt="word " * 90)
    keys = recipe(str(model_folder), 3)
    report = tv.train(world, [*TASKS[:3], long], [TASKS[3], long], run=tmp_path / "run", recipe=keys)
    assert report.steps == 3
    assert [arm.tasks for arm in report.measured] == [("t3",)] * 2
    told = r"1 skipped, too long for the window: the opening of long takes \d+ tokens, the soft limit is 256"
    for note, side in zip(report.notes, ("training", "held-out"), strict=True):
        assert re.fullmatch(f"{side} tasks: {told}", note)
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert "long" not in {episode.task.id for episode in store.episodes.find()}


def test_a_prompt_that_is_too_long_once_its_environment_is_open_costs_its_group_only(
    model_folder: Path, tmp_path: Path
) -> None:
    class Late(tv.ToolEnvironment):
        words = ""

        async def __aenter__(self) -> "Late":
            self.words = "word " * (90 if self.task.id == "t1" else 1)
            return self

        def prompt(self) -> str:
            return self.words

    late = lambda task: Late(task, tools=[look_up], terms={"letters": letters})  # noqa: E731
    assert (
        trained(
            late, model_folder, tmp_path / "run", measured=0, schedule={"steps": 3, "groups": 2, "group_size": 2}
        ).steps
        == 3
    )
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert {episode.task.id for episode in store.episodes.find(outcome="invalid")} == {"t1"}
        assert any("its opening takes" in event.text for event in store.journal.events("redraws_spent"))


def test_a_factory_that_gives_no_environment_is_refused_by_its_task(model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the environment of task t0 is None; let its factory return an Environment"):
        trained(lambda _: None, model_folder, tmp_path / "run")  # type: ignore[arg-type,return-value]
    with pytest.raises(ConfigError, match=r"task t0 is <class"):
        trained(lambda _: tv.ToolEnvironment, model_folder, tmp_path / "run")  # type: ignore[arg-type,return-value]
    assert not (tmp_path / "run").exists()


def without_key(task: tv.Task) -> Environment:
    raise KeyError("gold")


def without_sandbox(task: tv.Task) -> Environment:
    raise SandboxError("no computer is free")


@pytest.mark.parametrize(
    ("factory", "says"),
    [
        (without_key, r"world: the environment of task t\d could not be made \(KeyError: 'gold'\); fix its factory"),
        (without_sandbox, "sandbox: no computer is free"),
    ],
)
def test_a_factory_that_raises_leaves_invalid_episodes_with_its_words(
    factory: Factory, says: str, model_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(BoundaryError, match=says):
        trained(factory, model_folder, tmp_path / "a", tasks=2, measured=0)
    with pytest.raises(BoundaryError, match=rf"no episode of the evaluation 'start' is valid \({says}"):
        trained(factory, model_folder, tmp_path / "b")


def test_a_factory_that_raises_now_and_then_costs_a_redraw(model_folder: Path, tmp_path: Path) -> None:
    calls = iter(range(1000))

    def sometimes(task: tv.Task) -> Environment:
        return without_key(task) if next(calls) % 3 == 0 else world(task)

    assert trained(sometimes, model_folder, tmp_path / "run").steps == 1
    with RunStore(tmp_path / "run", readonly=True) as store:
        invalid = list(store.episodes.find(outcome="invalid"))
    assert invalid
    assert all(isinstance(e.outcome, Invalid) and "KeyError" in e.outcome.reason for e in invalid)


def test_an_arm_without_a_valid_episode_is_an_error_and_can_be_measured_again(
    model_folder: Path, tmp_path: Path
) -> None:
    def broken(episode: tv.Episode) -> float:
        return 1 / 0 if episode.id.startswith("eval-after") else letters(episode)

    run = tmp_path / "run"
    with pytest.raises(BoundaryError, match=r"'after' is valid \(judge: term letters .* ZeroDivisionError.* --resume"):
        trained(lambda task: world(task, broken), model_folder, run)
    assert not (run / "report.json").exists()
    report = trained(world, model_folder, run, resume=True)
    assert report.steps == 1
    assert set(report.arms) == {"start", "after"}
    assert [arm.missing for arm in report.measured] == [0, 0]


def test_a_reward_that_no_gradient_can_hold_is_named(model_folder: Path, tmp_path: Path) -> None:
    def huge(episode: tv.Episode) -> float:
        return 1e308 * (-1) ** episode.seed

    with pytest.raises(DataError, match=r"episode 00000-.* has reward -?1e\+308, .* fix its rubric"):
        trained(lambda task: world(task, huge), model_folder, tmp_path / "run", measured=0)
