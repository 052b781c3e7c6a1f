"""Trackers hold what the store holds, and never stop a run."""

import threading
from collections import defaultdict
from pathlib import Path

import pytest

import trivium as tv
from trivium.episode import ConfigError
from trivium.run.tracking import tracker as seam
from trivium.run.tracking.line import Line
from trivium.run.tracking.tracker import label
from trivium.store import RunStore

from .small import TASKS, recipe, world
from .test_run import StoppedError, StopsAfter


def train(model: Path, run: Path, steps: int, track: dict[str, object], **options: object) -> object:
    return tv.train(world, TASKS, run=run, recipe={**recipe(str(model), steps), "track": track}, **options)


def stored(run: Path) -> dict[str, list[tuple[int, float]]]:
    with RunStore(run, readonly=True) as store:
        return {
            name: [(step + 1, value) for step, value in store.journal.curve(name)]
            for name in store.journal.metric_names()
        }


def stopped_and_resumed(model: Path, run: Path, track: dict[str, object]) -> None:
    with pytest.raises(StoppedError):
        train(model, run, 3, track, progress=StopsAfter(2))
    train(model, run, 3, track, resume=True)


def test_tensorboard_shows_the_curves_of_the_store_once(model_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="NOT TESTED: the package tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    stopped_and_resumed(model_folder, tmp_path / "run", {"tensorboard": True})
    read = EventAccumulator(str(tmp_path / "run" / "tensorboard"), size_guidance={"scalars": 0})
    read.Reload()
    curves = {name: [(point.step, point.value) for point in read.Scalars(name)] for name in read.Tags()["scalars"]}
    wanted = stored(tmp_path / "run")
    assert curves.keys() == {label(name) for name in wanted}
    for name, points in wanted.items():
        assert curves[label(name)] == [(step, pytest.approx(value, rel=1e-6)) for step, value in points]
    assert len(curves["term/reward"]) == 3


@pytest.mark.filterwarnings("ignore")  # what MLflow itself does with its libraries
def test_mlflow_goes_on_in_the_same_run_without_a_step_twice(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.run.tracking.line.GRACE_S", 500)  # its first import and tables take a while
    pytest.importorskip("mlflow", reason="NOT TESTED: the package mlflow-skinny is not installed")
    address = f"sqlite:///{tmp_path / 'mlflow.db'}"
    stopped_and_resumed(model_folder, tmp_path / "run", {"mlflow": address})
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=address)
    (found,) = client.search_runs([client.get_experiment_by_name("run").experiment_id])
    assert (found.info.status, found.info.run_name) == ("FINISHED", "run")
    assert found.data.params["schedule.steps"] == "3"
    wanted = stored(tmp_path / "run")
    assert found.data.metrics.keys() == {label(name) for name in wanted} | {"step"}
    history = client.get_metric_history(found.info.run_id, "term/reward")
    assert sorted((point.step, point.value) for point in history) == wanted["term.reward"]


def test_a_tracker_that_cannot_work_costs_one_line_and_no_step(model_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="NOT TESTED: the package tensorboard is not installed")
    run = tmp_path / "run"
    run.mkdir()
    (run / "tensorboard").write_text("a file where the folder belongs")
    assert train(model_folder, run, 2, {"tensorboard": True}).steps == 2
    with RunStore(run, readonly=True) as store:
        first, last = (event.text for event in store.journal.events("tracker"))
    assert "TensorBoard failed, and the run goes on without it (" in first
    assert "2 steps were not sent" in last


def test_a_missing_package_is_refused_with_the_way_to_get_it(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seam, "find_spec", lambda name: None)
    for track, extra in (({"tensorboard": True}, "tensorboard"), ({"mlflow": "sqlite:///x.db"}, "mlflow")):
        with pytest.raises(ConfigError, match=rf'pip install "trivium\[{extra}\]"'):
            train(model_folder, tmp_path / "run", 1, track)
    assert not (tmp_path / "run").exists()


class Keeps:
    """Keeps steps in memory; refuses to open, and then to log, as often as it is told."""

    def __init__(self, last: int, refusals: int) -> None:
        self.last, self.refusals, self.held = last, refusals, defaultdict(list)

    def open(self) -> "Keeps":
        self.refuse()
        return self

    def refuse(self) -> None:
        if self.refusals:
            self.refusals -= 1
            raise OSError("no answer")

    def log(self, step: int, values: dict[str, float]) -> None:
        self.refuse()
        self.held[step].append(values)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("refusals", [0, 1, 3, 5])
def test_steps_wait_until_the_tracker_takes_them_and_go_once(refusals: int) -> None:
    told: list[str] = []
    keeps = Keeps(last=1, refusals=refusals)
    line = Line("kept", keeps.open, lambda after: [(step, {"x": step}) for step in range(after + 1, 4)], told.append)
    for step in range(3, 8):  # 3 is in the store already
        line.send(step, {"x": step})
    line.close()
    assert keeps.held == {step: [{"x": step}] for step in range(2, 8)}
    assert len(told) == (2 if refusals else 0)
    assert line.failures == refusals


def test_a_tracker_that_hangs_does_not_hold_the_run_and_sends_nothing_after_it() -> None:
    told: list[str] = []
    late = threading.Event()
    keeps = Keeps(last=-1, refusals=0)

    def open_late() -> Keeps:
        late.wait()
        return keeps

    line = Line("hung", open_late, lambda after: [], told.append)
    line.send(0, {"x": 1.0})
    line.close(grace=0.1)
    assert line._thread.is_alive()
    late.set()
    line._thread.join(10)
    assert keeps.held == {}
    assert told == ["hung failed 0 times; 1 steps were not sent (it is slow)"]
