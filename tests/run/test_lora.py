"""A run that trains an adapter: it alone is kept, and it goes on, is measured and resumed beside its base."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

import trivium as tv
from trivium.config import make_recipe
from trivium.episode import ConfigError, StoreError
from trivium.policy.lora import is_adapted, weights_id
from trivium.run import export
from trivium.run.opened_policy import open_policy
from trivium.run.policy_folder import base_folder, policy_folder
from trivium.store import RunStore

from .small import TASKS, recipe, world

LORA = {"r": 2, "lora_alpha": 4.0, "target_modules": ["q_proj", "down_proj"]}


def adapting(model: str, steps: int = 2, lora: dict[str, object] | None = LORA) -> dict[str, object]:
    policy = {"model": model, "threads": 1, **({} if lora is None else {"lora": lora})}
    return {**recipe(model, steps), "policy": policy}


def go(model: str, run: Path, steps: int = 2, lora: dict[str, object] | None = LORA, resume: bool = False) -> None:
    tv.train(world, TASKS, [], run=str(run), recipe=adapting(model, steps, lora), resume=resume)


@pytest.fixture(scope="module")
def trained(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("adapted") / "run"
    go(str(model_folder), run)
    return run


def test_checkpoints_hold_the_adapter_and_the_ledger_its_name(trained: Path, model_folder: Path) -> None:
    home = policy_folder(str(trained))
    assert not (home / "model.safetensors").exists()
    assert base_folder(home) == model_folder.resolve()
    opened = open_policy(make_recipe({"policy": {"model": str(trained), "threads": 1}}))
    assert is_adapted(opened.model)
    with RunStore(trained, readonly=True) as store:
        commit = store.ledger.latest()
    assert commit is not None
    assert opened.engine.weights.id == weights_id(opened.model) == commit.weights


def test_a_run_is_taken_up_where_it_stands(trained: Path, model_folder: Path) -> None:
    """The weights of the last commit are found again by name, or the resume is refused."""
    go(str(model_folder), trained, resume=True)
    with RunStore(trained, readonly=True) as store:
        assert [commit.step for commit in store.ledger.commits()] == [0, 1]


def test_another_run_goes_on_with_the_adapter_whether_its_recipe_names_it_or_not(trained: Path, tmp_path: Path) -> None:
    for number, lora in enumerate((LORA, None)):
        go(str(trained), tmp_path / f"run{number}", steps=1, lora=lora)
        assert (policy_folder(str(tmp_path / f"run{number}")) / "adapter_model.safetensors").is_file()


def test_another_rank_is_refused(trained: Path) -> None:
    with pytest.raises(ConfigError, match=r"an adapter with r 2; set policy\.lora\.r to that"):
        open_policy(make_recipe(adapting(str(trained), lora={**LORA, "r": 3})))


def test_an_altered_base_is_refused(model_folder: Path, tmp_path: Path) -> None:
    base, run = tmp_path / "base", tmp_path / "run"
    base.mkdir()
    for file in model_folder.iterdir():
        (base / file.name).write_bytes(file.read_bytes())
    go(str(base), run, steps=1)
    weights = base / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ConfigError, match="belongs to weights"):
        open_policy(make_recipe({"policy": {"model": str(run), "threads": 1}}))
    with pytest.raises(StoreError, match="belongs to base"):
        go(str(base), run, steps=1, resume=True)


IDS = torch.tensor([[5, 9, 17, 3, 40, 40, 2]])


def logits(model: Any) -> torch.Tensor:
    with torch.no_grad():
        said: torch.Tensor = model.eval()(IDS).logits
    return said


def test_an_export_holds_the_adapter_merged_or_alone(trained: Path, model_folder: Path, tmp_path: Path) -> None:
    """Both speak as the run's policy does, and training goes on from both."""
    said = logits(open_policy(make_recipe({"policy": {"model": str(trained), "threads": 1}})).model)
    base = AutoModelForCausalLM.from_pretrained(model_folder)
    assert float((logits(base) - said).abs().max()) > 1e-4
    export(str(trained), tmp_path / "merged", merge=True)
    export(str(trained), tmp_path / "alone")
    assert float((logits(AutoModelForCausalLM.from_pretrained(tmp_path / "merged")) - said).abs().max()) < 1e-5
    alone = open_policy(make_recipe({"policy": {"model": str(tmp_path / "alone"), "threads": 1}}))
    assert torch.equal(logits(alone.model), said)
    assert not (tmp_path / "alone" / "model.safetensors").exists()
    for name, told in (("merged", "merged into its base"), ("alone", 'library_name: "peft"')):
        assert told in (tmp_path / name / "README.md").read_text()
        assert is_adapted(open_policy(make_recipe(adapting(str(tmp_path / name)))).model)
