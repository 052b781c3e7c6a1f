"""The weights that the embedded policy starts from copy before any training."""

import importlib
import sys
from pathlib import Path

import pytest
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

RECIPE = Path(__file__).parents[2] / "recipes" / "embedded"


@pytest.fixture
def induction_init(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(RECIPE))
    yield importlib.import_module("induction").induction_init
    sys.modules.pop("induction", None)


def shaped(**changed: int) -> Qwen2ForCausalLM:
    shape = {"hidden_size": 192, "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 3}
    rope = {"rope_type": "default", "rope_theta": 1_000_000.0}
    config = Qwen2Config(
        **{"vocab_size": 4096, "num_key_value_heads": 3, "max_position_embeddings": 2048, **shape, **changed},
        rope_parameters=rope,
        tie_word_embeddings=True,
    )
    return Qwen2ForCausalLM(config).eval()


def copied(model: Qwen2ForCausalLM) -> float:
    """Share of the second of two equal stretches of 64 random tokens that is predicted right, after its first token."""
    stretch = torch.randint(5, 4096, (16, 64), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        said = model(torch.cat([stretch, stretch], 1)).logits.argmax(-1)[:, 64:-1]
    return float((said == stretch[:, 1:]).float().mean())


def test_random_tokens_are_copied_from_step_zero(induction_init) -> None:
    model = shaped()
    assert copied(model) < 0.05
    induction_init(model, 0)
    share = copied(model)
    print(f"copied {share:.3f}")
    assert share > 0.95


def test_a_shape_that_cannot_carry_it_is_refused(induction_init) -> None:
    with pytest.raises(ValueError, match="key head per query head"):
        induction_init(shaped(num_key_value_heads=1), 0)
