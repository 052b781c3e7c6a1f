"""A checkpoint as a Hugging Face folder: the same model for everyone, or nothing at all."""

import json
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from trivium.config import PolicyConfig
from trivium.episode import ConfigError, StoreError
from trivium.policy.models import load_model
from trivium.policy.rendering import CHAT_TEMPLATE
from trivium.run import export, make_renderer, policy_folder

from .small import go

IDS = torch.tensor([[5, 9, 17, 3, 40, 40, 2]])


@pytest.fixture(scope="module")
def run(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "run"
    go(str(model_folder), str(folder), 2, measured=2)
    return folder


def logits(folder: Path) -> torch.Tensor:
    with torch.no_grad():
        return AutoModelForCausalLM.from_pretrained(folder).eval()(IDS).logits


def test_the_folder_holds_the_runs_model(run: Path, tmp_path: Path) -> None:
    for step in (1, 2):
        export(f"{run}@{step}", tmp_path / str(step))
        model, _ = load_model(policy_folder(f"{run}@{step}"))
        with torch.no_grad():
            assert torch.equal(logits(tmp_path / str(step)), model(IDS).logits)
    assert not torch.equal(logits(tmp_path / "1"), logits(tmp_path / "2"))


def test_tokenizer_template_and_sampling_are_those_of_training(run: Path, tmp_path: Path) -> None:
    export(str(run), tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    renderer = make_renderer(PolicyConfig(model=str(run)), policy_folder(str(run)))
    assert tokenizer.encode("Ünïcode, twice") == list(renderer.codec.encode("Ünïcode, twice"))
    assert tokenizer.chat_template == CHAT_TEMPLATE
    sampling = GenerationConfig.from_pretrained(tmp_path / "out")
    assert set(sampling.eos_token_id) == renderer.stop_ids
    assert (sampling.do_sample, sampling.temperature, sampling.top_k, sampling.top_p) == (True, 1.0, 0, 1.0)


def test_training_goes_on_from_the_folder(run: Path, tmp_path: Path) -> None:
    export(str(run), tmp_path / "out")
    assert go(str(tmp_path / "out"), str(tmp_path / "next"), 1).steps == 1


def test_the_card_tells_what_was_measured_on_these_weights_only(run: Path, tmp_path: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    export(str(run), tmp_path / "last")
    export(f"{run}@1", tmp_path / "first")
    card = ModelCard.load(tmp_path / "last" / "README.md", ignore_metadata_errors=False)
    assert card.data.license == "other"
    assert card.data.library_name == "transformers"
    reward = report["arms"]["after"]["reward"]
    assert f"{reward['mean']:.3f} ({reward['low']:.3f} to {reward['high']:.3f}; n = 2)" in card.text
    for part in (report["command"], "schedule.steps = 2", "which the run does not keep", "Must not be used"):
        assert part in card.text
    assert "Not measured: the run has no report of step 1" in (tmp_path / "first" / "README.md").read_text()


def test_a_card_names_every_run_behind_the_weights(run: Path, tmp_path: Path) -> None:
    go(f"{run}@1", str(tmp_path / "next"), 1)
    export(str(tmp_path / "next"), tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text()
    assert f"`{tmp_path / 'next'}`, step 1" in text
    assert f"`{run}`, step 1" in text


def test_what_cannot_be_exported_is_one_sentence_and_leaves_nothing(run: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").touch()
    for name, to, merge, said in (
        (str(run), full, False, "nothing is overwritten"),
        (str(run), tmp_path / "out", True, "has no adapter; leave --merge out"),
        (str(tmp_path), tmp_path / "out", False, "is no run; export a checkpoint"),
        (f"{run}@9", tmp_path / "out", False, "has no step 9"),
    ):
        with pytest.raises(ConfigError, match=said):
            export(name, to, merge=merge)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine.txt"]


def test_a_torn_checkpoint_is_not_exported(model_folder: Path, tmp_path: Path) -> None:
    go(str(model_folder), str(tmp_path / "run"), 1)
    weights = tmp_path / "run" / "checkpoints" / "step-000000" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(StoreError, match="is torn"):
        export(str(tmp_path / "run"), tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"run"}
