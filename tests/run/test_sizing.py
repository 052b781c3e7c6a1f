"""Predictions from sizes alone: against transformers, peft, the engine's own tensors, and a measured peak."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from trivium.cli.prediction import adapter_size, predictions
from trivium.config import make_recipe
from trivium.episode import ConfigError
from trivium.policy.local.arena import Arena
from trivium.run import base_folder, make_budget, policy_folder
from trivium.run.sizing import (
    ACCELERATORS,
    PUBLISHED,
    Architecture,
    predict_memory,
    predict_time,
    published,
    skeleton,
    work_of,
)

ROOT = Path(__file__).parents[2]
TOTALS = {"qwen3-4b": (4.02e9, 4.02e9), "gpt-oss-20b": (20.9e9, 4.2e9)}  # as their model cards say, embeddings counted


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes_give_the_published_parameters(name):
    shape = Architecture.of(published(name))
    total, active = TOTALS[name]
    assert shape.parameters == pytest.approx(total, rel=0.005)
    assert shape.active == pytest.approx(active, rel=0.005)
    assert PUBLISHED[name]["source"]
    assert (shape.unlisted is None) == (name == "qwen3-4b")


def test_the_embedded_policy_s_sizes_are_its_own():
    model = skeleton(base_folder(policy_folder("embedded")))
    shape = Architecture.of(model)
    assert shape.parameters == shape.active == sum(p.numel() for p in model.parameters())
    arena = Arena(shape.layers, 2 * shape.kv_heads, shape.head_dim, torch.float32, torch.device("cpu"))
    assert arena.tensor(100).numel() == 100 * shape.kv_bytes


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_adapter_is_as_large_as_peft_makes_it():
    peft = pytest.importorskip("peft", reason="the extra `lora` is not installed")
    model = skeleton(policy_folder("embedded"))
    recipe = make_recipe({"policy": {"lora": {"r": 4}}})
    wanted = adapter_size(recipe, model)
    config = peft.LoraConfig(r=4, target_modules=list(recipe.policy.lora.target_modules))
    adapted = peft.get_peft_model(model, config)
    assert wanted == sum(p.numel() for p in adapted.parameters() if p.requires_grad)


def test_more_of_everything_takes_more():
    shape = Architecture.of(published("qwen3-4b"))

    def peak(**learn):
        recipe = make_recipe({"policy": {"dtype": "bfloat16"}, "learn": learn, "budget": {"window": 4096}})
        return predict_memory(shape, recipe, make_budget(recipe.budget))

    assert peak(checkpoint_activations=True).activations < peak().activations / 5
    assert peak(micro_tokens=16384).activations == 2 * peak().activations
    narrow = peak(dtype="bfloat16")
    assert narrow.learner == 2 * shape.parameters
    assert narrow.weights + narrow.moments == 12 * shape.parameters
    assert narrow.activations == peak().activations // 2


def test_time_follows_the_operations():
    shape, recipe = Architecture.of(published("qwen3-4b")), make_recipe({"budget": {"window": 4096}})
    work, h100, b200 = work_of(recipe, make_budget(recipe.budget)), ACCELERATORS["H100-80GB"], ACCELERATORS["B200"]
    slow, fast = (predict_time(shape, recipe, work, machine, adapted=False) for machine in (h100, b200))
    assert slow.learning / fast.learning == pytest.approx(b200.flops / h100.flops)
    adapted = predict_time(shape, recipe, work, h100, adapted=True)
    assert adapted.learning / slow.learning == pytest.approx(2 / 3)
    by_hand = work.learned * 3 * (2 * shape.active + 4 * 36 * 4096 * work.depth) / (h100.flops * 0.35)
    assert slow.learning == pytest.approx(by_hand)


def test_what_training_would_refuse_is_refused_from_sizes_alone():
    model = published("gpt-oss-20b")
    with pytest.raises(ConfigError, match=r"set learn\.layout"):
        list(predictions(make_recipe({"learn": {"layout": "trees"}}), model))
    with pytest.raises(ConfigError, match="has no linear module gate_proj"):
        list(predictions(make_recipe({"policy": {"lora": {}}}), model))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_recipe_of_a_model_that_is_not_here_says_all_that_can_be_said(name):
    from trivium.config import load_recipe

    recipe = load_recipe(ROOT / "recipes" / f"{name}.toml")
    told = "\n".join(predictions(recipe, published(name)))
    assert "memory at the peak" in told
    assert f"time on one {recipe.plan.accelerator}" in told
    assert "does not fit" not in told


@pytest.mark.slow
def test_the_predicted_peak_is_near_a_measured_one():
    case = ["embedded", {"policy": {"threads": 1}, "learn": {"micro_tokens": 8192}}]
    command = [sys.executable, str(ROOT / "benchmarks" / "predicted_memory.py"), "--case", json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert abs(json.loads(done.stdout.splitlines()[-1])["error"]) < 0.25
