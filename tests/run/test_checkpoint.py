"""A policy that is taken from a run's checkpoint is what the run wrote."""

from pathlib import Path

import pytest

import trivium as tv
from trivium.config import make_recipe
from trivium.episode import ConfigError, StoreError
from trivium.run.opened_policy import open_policy
from trivium.run.policy_folder import policy_folder

from .small import TASKS, go, recipe, world


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_an_altered_checkpoint_is_no_policy(name: str, model_folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    go(str(model_folder), str(run), 2)
    flip(run / "checkpoints" / "step-000000" / name)
    for policy in (f"{run}@1", str(run / "checkpoints" / "step-000000")):
        with pytest.raises(StoreError, match=rf"{name} is not what was written; name another checkpoint by .*run@STEP"):
            open_policy(make_recipe({"policy": {"model": policy, "threads": 1}}))
    assert open_policy(make_recipe({"policy": {"model": str(run), "threads": 1}})).folder.name == "step-000001"


def test_an_optimiser_is_no_part_of_a_policy(model_folder: Path, tmp_path: Path) -> None:
    go(str(model_folder), str(tmp_path / "run"), 1)
    (tmp_path / "run" / "checkpoints" / "step-000000" / "optimiser.safetensors").unlink()
    open_policy(make_recipe({"policy": {"model": f"{tmp_path / 'run'}@1", "threads": 1}}))


@pytest.mark.parametrize(("keep", "kept"), [(1, ["step-000002"]), (2, ["step-000001", "step-000002"])])
def test_a_recipe_says_how_many_checkpoints_stay(
    keep: int, kept: list[str], model_folder: Path, tmp_path: Path
) -> None:
    run, own = tmp_path / "run", recipe(str(model_folder), 3)
    own = own | {"schedule": {**own["schedule"], "keep": keep}}  # type: ignore[dict-item]
    tv.train(world, TASKS, run=run, recipe=own)
    assert sorted(path.name for path in (run / "checkpoints").iterdir()) == kept
    with pytest.raises(
        ConfigError, match=f"keeps no checkpoint of step 1; it keeps {'2, 3' if keep == 2 else '3'}.*keep"
    ):
        policy_folder(f"{run}@1")
