"""An adapter is sampled from unmerged: log-probs are those of peft's own forward, in both forwards of the engine."""

import copy

import pytest
import torch

from policy.adapted import EVERY, SOME, adapted, drawn
from trivium.episode import EngineError
from trivium.policy.engine import Weights
from trivium.policy.local import LocalEngine
from trivium.policy.local.fast import FastForward
from trivium.policy.local.generic import GenericForward
from trivium.policy.local.select import forward_for
from trivium.policy.lora import adapted_modules, base_state, learned, weights_id

from .small import FAST, ask, ask_all, drift, model, tokens

NEOX = ("query_key_value", "dense_4h_to_h")


def both():
    return [*((name, EVERY) for name in FAST), ("llama", SOME), ("neox", NEOX)]


@pytest.mark.parametrize(("name", "modules"), both())
def test_log_probs_are_those_of_the_adapted_model(name, modules):
    made, prompts = adapted(model(name), modules), [tokens(count, seed=count) for count in (1, 31, 130)]
    generations = ask_all(LocalEngine(made), prompts)
    assert max(drift(made, *pair) for pair in zip(prompts, generations, strict=True)) < 1e-4
    assert max(drift(model(name), *pair) for pair in zip(prompts, generations, strict=True)) > 1e-2


@pytest.mark.parametrize(("name", "modules"), [("qwen2", EVERY), ("neox", NEOX)])
def test_a_switch_of_adapters_voids_keys_and_leaves_the_base(name, modules):
    made = adapted(model(name), modules)
    engine = LocalEngine(made)
    first = ask(engine, tokens(40), session="e/main")
    other = drawn(copy.deepcopy(made), seed=1)
    engine.load(Weights(weights_id(other), 1), learned(other))
    assert engine.cached_tokens == 0
    context = [*tokens(40), *first.tokens, 1]
    assert drift(other, context, ask(engine, context, session="e/main")) < 1e-4


def test_an_adapter_of_other_modules_leaves_the_engine_as_it_was():
    engine = LocalEngine(adapted(model("qwen2"), SOME))
    before = ask(engine, tokens(20))
    short = dict(learned(adapted(model("qwen2"), SOME)))
    short.popitem()
    for wrong in (learned(adapted(model("qwen2"))) | {"base_model.model.lm_head.lora_A.weight": torch.ones(1)}, short):
        with pytest.raises(EngineError, match="adapter that the engine was made with"):
            engine.load(Weights("wrong"), wrong)
    assert ask(engine, tokens(20)) == before


def test_an_adapter_elsewhere_goes_through_its_own_forward():
    assert isinstance(forward_for(adapted(model("qwen2")), torch.float32), FastForward)
    head = adapted(model("qwen3"), ("lm_head", "q_proj"))
    assert isinstance(forward_for(head, torch.float32), GenericForward)
    assert drift(head, tokens(9), ask(LocalEngine(head), tokens(9))) < 1e-4


def test_weights_are_named_by_adapter_and_base():
    one, two = (adapted(model("qwen2"), seed=seed) for seed in (0, 1))
    moved = adapted(model("qwen2", seed=1), seed=0)
    assert all(torch.equal(a, b) for a, b in zip(learned(one).values(), learned(moved).values(), strict=True))
    assert len({weights_id(made) for made in (model("qwen2"), one, two, moved)}) == 4
    assert weights_id(one) == weights_id(copy.deepcopy(one))


def test_the_base_is_found_again_under_its_own_names():
    assert base_state(adapted(model("llama"))).keys() == model("llama").state_dict().keys()
    assert adapted_modules(adapted(model("llama"), SOME)) == set(SOME)
    assert adapted_modules(model("llama")) == set()
