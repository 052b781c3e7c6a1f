"""What [learn] says is what learns, what it says in vain is refused, and what it remembers survives a resume."""

import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import trivium as tv
from trivium.config import READ_BY, LearnConfig, make_recipe
from trivium.episode import ConfigError
from trivium.learn import K25, Cispo, Kl, Loss, OverGroup, Ppo, Reinforce, RunningMean, leave_one_out
from trivium.run.learning import make_baseline, make_kl, make_loss
from trivium.store import RunStore

from .small import TASKS, recipe, world
from .test_run import StoppedError, StopsAfter, ledger


@pytest.mark.parametrize(
    ("name", "loss"),
    [("cispo", Cispo(0.0, 5.0)), ("ppo", Ppo(0.8, 1.2)), ("k25", K25(0.5, 2.0, 0.1)), ("reinforce", Reinforce())],
)
def test_a_loss_by_name_is_the_loss_with_the_defaults_of_its_keys(name: str, loss: Loss) -> None:
    assert make_loss(LearnConfig.model_validate({"loss": name})) == loss
    assert name in READ_BY["loss"]


def test_keys_reach_what_reads_them() -> None:
    assert make_loss(LearnConfig(loss="ppo", clip_low=0.7, clip_high=1.28)) == Ppo(0.7, 1.28)
    assert make_loss(LearnConfig(loss="k25", tau=1.0)) == K25(0.5, 2.0, 1.0)
    assert make_kl(LearnConfig()) is None
    assert make_kl(LearnConfig(kl="k3")) == Kl("k3", 1e-3)
    assert make_kl(LearnConfig(kl="k1", kl_coefficient=0.0)) == Kl("k1", 0.0)
    assert make_baseline(LearnConfig(baseline="running_mean", baseline_decay=0.5)) == RunningMean(0.5)
    assert make_baseline(LearnConfig(baseline="leave_one_out")) == OverGroup(leave_one_out)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (
            ["loss=reinforce", "clip_high=5.0"],
            "learn.clip_high = 5.0: loss = reinforce does not read it; remove",
        ),
        (["tau=0.1"], "learn.tau = 0.1: loss = cispo does not read it; remove it, or set learn.loss to k25"),
        (["kl_coefficient=0.0"], "kl = none does not read it; remove it, or set learn.kl to k1 or k2 or k3"),
        (["baseline_decay=0.5"], "baseline = group_mean does not read it"),
        (["episode_tokens=64"], "denominator = trained does not read it"),
        (["denominator=constant"], "learn.episode_tokens = None: denominator = constant needs it; give a number"),
        (["loss=ppo", "clip_high=0.28"], "learn.clip_high = 0.28: Input should be greater than or equal to 1"),
        (["truncate=0.5"], "learn.truncate = 0.5"),
        (["loss=dapo"], "learn.loss = 'dapo'"),
    ],
)
def test_a_key_that_nothing_reads_is_refused_in_one_sentence(keys: list[str], says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        make_recipe({}, [f"learn.{key}" for key in keys])
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_recipe_written_out_reads_back_as_itself() -> None:
    for loss in READ_BY["loss"]:
        first = make_recipe({"learn": {"loss": loss}})
        assert make_recipe(first.model_dump(mode="json", exclude_none=True)) == first


EVERYTHING = {
    "lr": 1e-3,
    "loss": "k25",
    "kl": "k1",
    "kl_coefficient": 0.1,
    "truncate": 2.0,
    "baseline": "running_mean",
    "denominator": "constant",
    "episode_tokens": 24,
}


def go(model: Path, run: Path, steps: int, **options: object) -> None:
    keys = {**recipe(str(model), steps), "learn": EVERYTHING}
    tasks = [tv.Task(id=task.id, prompt=task.prompt, family=f"f{n % 2}") for n, task in enumerate(TASKS)]
    tv.train(world, tasks, run=run, recipe=keys, **options)  # type: ignore[arg-type]


def test_what_the_baseline_and_the_penalty_compare_with_survives_a_resume(model_folder: Path, tmp_path: Path) -> None:
    go(model_folder, tmp_path / "whole", 3)
    with pytest.raises(StoppedError):
        go(model_folder, tmp_path / "parts", 3, progress=StopsAfter(2))
    go(model_folder, tmp_path / "parts", 3, resume=True)
    assert ledger(tmp_path / "whole") == ledger(tmp_path / "parts")
    curves = []
    for run in ("whole", "parts"):
        with RunStore(tmp_path / run, readonly=True) as store:
            curves.append([store.journal.curve(name) for name in ("learn.kl", "learn.truncated", "learn.loss")])
    assert curves[0] == curves[1]
    kl = [value for _, value in curves[0][0]]
    assert kl[0] == 0
    assert kl[2] != 0


def test_a_reference_that_changed_under_the_run_is_refused(model_folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(model_folder, model)
    go(model, tmp_path / "run", 1)
    weights = load_file(model / "model.safetensors")
    weights["model.norm.weight"] += 0.1
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ConfigError, match=r"compares with weights \w+, this learner with \w+; put back the model"):
        go(model, tmp_path / "run", 1, resume=True)
