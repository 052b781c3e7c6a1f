"""Weights change at a token boundary: every token carries the id it was sampled under, nothing stale is re-used."""

import asyncio

import pytest
import torch

from trivium.episode import EngineError
from trivium.policy.engine import Sampling, Weights
from trivium.policy.local import LocalEngine

from .small import ask, drift, model, tokens

NAMES = ["qwen2", "neox"]


async def switched(engine, state, after=15):
    call = asyncio.create_task(engine.generate(tokens(30), Sampling(seed=4, max_tokens=60), session="e/main"))
    for _ in range(after):
        await asyncio.sleep(0)
    engine.load(Weights("second", 1, "first"), state)
    return await call


@pytest.mark.parametrize("name", NAMES)
def test_a_live_generation_goes_on_under_the_new_weights(name):
    old, new = model(name), model(name, seed=1)
    generation = asyncio.run(switched(LocalEngine(old, Weights("first")), new.state_dict()))
    first, second = generation.versions.counts
    assert generation.versions.ids == ("first", "second")
    assert first > 0
    assert first + second == len(generation.tokens) == 60
    rest = ask(LocalEngine(new), [*tokens(30), *generation.tokens[:first]], seed=4, new=second)
    assert rest.tokens == generation.tokens[first:]
    assert max(abs(a - b) for a, b in zip(rest.logprobs, generation.logprobs[first:], strict=True)) < 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_kept_keys_and_values_are_void_after_a_switch(name):
    engine, new = LocalEngine(model(name)), model(name, seed=1)
    first = ask(engine, tokens(40), session="e/main")
    engine.load(Weights("second"), new.state_dict())
    assert engine.cached_tokens == 0
    context = [*tokens(40), *first.tokens, *tokens(5)]
    assert drift(new, context, ask(engine, context, session="e/main")) < 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_training_the_module_changes_nothing_until_it_is_loaded(name):
    import copy

    trained = copy.deepcopy(model(name))
    engine = LocalEngine(trained)
    before = ask(engine, tokens(20))
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter.mul_(1.5)
    assert ask(engine, tokens(20)) == before
    engine.load(Weights("second"), trained.state_dict())
    after = ask(engine, tokens(20))
    assert after.tokens != before.tokens
    assert drift(trained, tokens(20), after) < 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_another_model_leave_the_engine_as_it_was(name):
    engine = LocalEngine(model(name))
    before = ask(engine, tokens(20))
    state = dict(model(name, seed=1).state_dict())
    lacking = next(key for key in state if "layers.1" in key and key.endswith("weight"))
    misshapen = {**state, lacking: state[lacking][:3]}
    del state[lacking]
    for wrong in (state, misshapen):
        with pytest.raises(EngineError, match=lacking):
            engine.load(Weights("wrong"), wrong)
    assert ask(engine, tokens(20)) == before
