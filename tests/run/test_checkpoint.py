"""A policy that is taken from a run's checkpoint is what the run wrote."""

from pathlib import Path

import pytest

from trivium.config import make_recipe
from trivium.episode import StoreError
from trivium.run.opened_policy import open_policy

from .small import go


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
