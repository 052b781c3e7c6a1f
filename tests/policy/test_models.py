"""Folders in Hugging Face format are loaded whole, or refused in one sentence."""

from pathlib import Path

import pytest
import torch

from trivium.episode import ConfigError
from trivium.policy.models import load_model

from .local.small import VOCABULARY, model


@pytest.fixture
def folder(tmp_path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    model("qwen2").save_pretrained(tmp_path)
    words = Tokenizer(WordLevel({f"w{n}": n for n in range(VOCABULARY)}, unk_token="w0"))
    PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained(tmp_path)
    return tmp_path


def test_a_folder_gives_model_and_tokenizer(folder):
    loaded, tokenizer = load_model(folder)
    assert not loaded.training
    assert loaded.dtype == torch.float32
    assert tokenizer.convert_tokens_to_ids("w7") == 7
    ids = torch.tensor([[1, 2, 3]])
    assert torch.equal(loaded(ids).logits, model("qwen2")(ids).logits)


@pytest.mark.parametrize("source", [Path("no/such"), "/no/such/folder", "./nothing", "a/b/c"])
def test_a_folder_that_is_not_there_is_named(source):
    with pytest.raises(ConfigError, match="there is no folder"):
        load_model(source)


def test_a_folder_without_a_model_says_what_it_needs(tmp_path):
    with pytest.raises(ConfigError, match=r"give a folder with config\.json"):
        load_model(tmp_path)


def test_torn_weights_are_one_sentence(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ConfigError, match="cannot be loaded as a causal LM"):
        load_model(folder)


def test_missing_weights_are_not_drawn_at_random(folder):
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    del tensors["model.norm.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ConfigError, match=r"lacks 1 of the model's weights \(model.norm.weight\)"):
        load_model(folder)
