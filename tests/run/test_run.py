import shutil
import sys
from io import StringIO
from pathlib import Path

import pytest

from trivium.config import make_recipe
from trivium.envs import ToolEnvironment
from trivium.episode import BoundaryError, ConfigError, Episode, Life, StoreError, Task
from trivium.harness import Budget, Harness, Pruning
from trivium.policy import Policy, ScriptedEngine
from trivium.run import Arm, Plan, PlannedGroup, Quiet, difference, open_run, policy_folder, train
from trivium.run.opened_policy import open_policy
from trivium.run.rollout import Losses, Rolled, Roller
from trivium.run.shuffling import shuffled
from trivium.store import RunStore

from .small import TASKS, go, letters, look_up, recipe


def ledger(folder: Path) -> list[tuple[int, str, tuple[tuple[str, float], ...]]]:
    with RunStore(folder, readonly=True) as store:
        return [
            (c.step, c.weights, tuple((m.episode, m.advantage) for m in store.ledger.members(c.step)))
            for c in store.ledger.commits()
        ]


def test_plan_is_a_pure_function_of_seed_and_place() -> None:
    one, two, other = Plan(TASKS, 2, 7), Plan(TASKS, 2, 7), Plan(TASKS, 2, 8)
    assert [one.step(s) for s in range(9)] == [two.step(s) for s in range(9)]
    assert [s.seed for s in one.step(0)] != [s.seed for s in other.step(0)]
    places = [group for step in range(10) for group in one.step(step)]
    for epoch in range(4):
        tasks = [group.task.id for group in places if group.epoch == epoch]
        assert sorted(tasks) == sorted(task.id for task in TASKS)


def test_run_trains_every_step_and_reports(model_folder: Path, tmp_path: Path) -> None:
    report = go(str(model_folder), str(tmp_path / "run"), 2, measured=3)
    assert report.steps == 2
    assert set(report.arms) == {"start", "after"}
    assert (tmp_path / "run" / "report.json").read_text() == report.text()
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert len(store.journal.curve("term.reward")) == 2
        assert max(value for _, value in store.journal.curve("parity.max_log_ratio")) < 1e-4
        assert store.episodes.count_lives(step=0).get(Life.TRAINED, 0) + len(store.ledger.dropped(0)) == 6


@pytest.mark.parametrize("sampled", [{"top_p": 0.9}, {"temperature": 0.0}])
def test_a_policy_whose_log_probs_are_not_those_that_are_trained_is_refused(
    sampled: dict[str, float], tmp_path: Path
) -> None:
    engine = ScriptedEngine(lambda _: "", lambda _: (), 0)
    harness = Harness(Policy("p", engine, None, **sampled), Pruning(Budget.of(64)))  # type: ignore[arg-type]
    with RunStore(tmp_path) as store, pytest.raises(ConfigError, match=r"policy p samples at .*set top_p = 1"):
        Roller(store, harness, seed=0, group_size=2, redraws=0)


@pytest.mark.parametrize(
    ("notice", "training", "evaluation"),
    [("training", True, False), ("always", True, True), ("never", False, False)],
)
@pytest.mark.parametrize("prune", [True, False])
def test_the_notice_is_shown_where_the_recipe_says(
    notice: str, training: bool, evaluation: bool, prune: bool, model_folder: Path
) -> None:
    keys = {"policy": {"model": str(model_folder), "threads": 1}, "editing": {"notice": notice, "prune": prune}}
    opened = open_policy(make_recipe(keys))
    shown = [harness.strategy.transient(10_000) is not None for harness in (opened.training(), opened.evaluation())]
    assert shown == [training and prune, evaluation and prune]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_script_draws_its_progress_on_a_terminal_and_nowhere_else(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for screen, drawn in ((Terminal(), True), (StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", screen)
        go(str(model_folder), str(tmp_path / str(drawn)), 1)
        assert ("step    1  reward" in screen.getvalue()) is drawn


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
        episodes = list(store.episodes.find(step=0))
    mixed = shuffled(episodes, 1)
    for group in {episode.group for episode in episodes}:
        before = sorted(e.outcome.reward for e in episodes if e.group == group)
        assert sorted(e.outcome.reward for e in mixed if e.group == group) == before
    assert {e.id for e in mixed} == {e.id for e in episodes}
    assert all(e.terms()["reward"] == e.outcome.reward for e in episodes)


def test_tasks_that_cannot_be_kept_are_refused(model_folder: Path, tmp_path: Path) -> None:
    bad = (Task(id="a", prompt="lone \ud800"), Task(id="b", prompt="x", data={"f": object()}), "words")  # type: ignore[dict-item]
    for task in bad:
        with pytest.raises(ConfigError, match=r"tv\.Task|cannot be kept"):
            train(lambda _: pytest.fail("opened"), [task], run=tmp_path / "run", recipe=recipe(str(model_folder), 1))  # type: ignore[list-item]


def test_a_metric_that_one_arm_lacks_is_not_compared() -> None:
    before, after = Arm("start", ("t", "u"), {"recall": (0.5, None)}), Arm("after", ("t", "u"), {})
    assert difference(before, after, "recall") is None


def test_a_run_that_keeps_old_names_of_keys_goes_on(model_folder: Path, tmp_path: Path) -> None:
    open_run(tmp_path, make_recipe({}), model_folder, resume=False).close()
    kept = tmp_path / "recipe.toml"
    kept.write_text(kept.read_text().replace("batch_episodes =", "rows ="))
    old = kept.read_text()
    open_run(tmp_path, make_recipe({}), model_folder, resume=True).close()
    assert kept.read_text() == old
    with pytest.raises(StoreError, match="another recipe"):
        open_run(tmp_path, make_recipe({"sft": {"batch_episodes": 3}}), model_folder, resume=True)


def test_a_refused_folder_is_let_go_and_keeps_its_command(model_folder: Path, tmp_path: Path) -> None:
    first, other = make_recipe({}), make_recipe({"seed": 1})
    open_run(tmp_path, first, model_folder, resume=False).close()
    for _ in range(2):
        with pytest.raises(StoreError, match="another recipe"):
            open_run(tmp_path, other, model_folder, resume=True)
    with pytest.raises(ConfigError, match="was made by trivium train"):
        open_run(tmp_path, first, model_folder, resume=True, command="sft")
    open_run(tmp_path, first, model_folder, resume=True).close()


def test_a_run_in_which_no_group_is_whole_ends_and_says_why(model_folder: Path, tmp_path: Path) -> None:
    def broken(_: Episode) -> float:
        raise KeyError("boom")

    with pytest.raises(BoundaryError, match=r"term broken failed .* KeyError: 'boom'"):
        train(
            lambda task: ToolEnvironment(task, tools=[], terms={"broken": broken}),
            TASKS[:2],
            run=tmp_path / "run",
            recipe=recipe(str(model_folder), 1),
        )


def test_a_group_that_stays_short_is_left_out_whole_and_the_run_goes_on(model_folder: Path, tmp_path: Path) -> None:
    """One task loses one member for good in every epoch: its siblings are valid, and must not train alone."""

    def judged(episode: Episode) -> float:
        if episode.task.id == "t3" and "-001" in episode.id[9:]:
            raise KeyError("boom")
        return letters(episode)

    notes = Notes()
    report = train(
        lambda task: ToolEnvironment(task, tools=[look_up], terms={"letters": judged}),
        TASKS,
        run=tmp_path / "run",
        recipe=recipe(str(model_folder), 5),
        progress=notes,
    )
    assert report.steps == 5
    lost = [line for line in notes.lines if "of task t3 left out: judge: term letters failed" in line]
    assert len(lost) == 2  # five steps of two groups pass twice over five tasks
    with RunStore(tmp_path / "run", readonly=True) as store:
        valid = [episode.id for episode in store.episodes.find(outcome="scored") if episode.task.id == "t3"]
        dropped = {name: why for step in range(5) for name, why in store.ledger.dropped(step).items()}
        trained = {member.episode for step in range(5) for member in store.ledger.members(step)}
        short = [value for _, value in store.journal.curve("batch.groups short")]
        invalid = [value for _, value in store.journal.curve("batch.attempts invalid")]
    assert len(valid) == 4
    assert all("its group stayed short: judge: term letters" in dropped[name] for name in valid)
    assert trained
    assert not trained & set(valid)
    assert sorted(short) == [0, 0, 0, 1, 1]
    assert sorted(invalid) == [0, 0, 0, 4, 4]  # one attempt and three redraws


class Notes(Quiet):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


def rolled(task: str, missing: str) -> Rolled:
    return Rolled(PlannedGroup(0, 0, 0, Task(id=task, prompt=""), 0), [], missing)


def test_infrastructure_fails_persistently_after_four_tasks_without_a_whole_group() -> None:
    losses = Losses(tasks=9)
    for _ in range(20):  # the same three tasks, for ever
        losses.note([rolled(task, "gone") for task in ("a", "b", "c")])
    losses.note([rolled("d", "gone"), rolled("e", "")])
    losses.note([rolled(task, "gone") for task in ("a", "b")])
    with pytest.raises(BoundaryError, match=r"no group of the last 4 tasks .* of task d for this: gone; fix"):
        losses.note([rolled(task, "gone") for task in ("c", "d")])


def test_a_torn_checkpoint_names_an_earlier_one_to_begin_from(model_folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    go(str(model_folder), str(run), 2)
    weights = run / "checkpoints" / "step-000001" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(StoreError, match=r"is torn.*; begin a new run .* policy\.model=.*run@1"):
        go(str(model_folder), str(run), 2, resume=True)
    shutil.rmtree(weights.parent)
    assert policy_folder(f"{run}@1").name == "step-000000"
    with pytest.raises(ConfigError, match=r"lost its checkpoint of step 2; name one of 1 by @"):
        policy_folder(str(run))


def test_an_emptied_database_does_not_cost_the_checkpoints(model_folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    go(str(model_folder), str(run), 2)
    (run / "run.db").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"knows nothing of checkpoints/step-000001"):
        go(str(model_folder), str(run), 2, resume=True)
    assert len(list((run / "checkpoints").iterdir())) == 2
