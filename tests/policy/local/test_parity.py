"""The log-prob recorded at sampling is that of one plain forward of the same tokens."""

import asyncio

import pytest

from trivium.policy.engine import Sampling
from trivium.policy.local import LocalEngine, continuous_batch
from trivium.policy.local.fast import FastForward
from trivium.policy.local.generic import GenericForward
from trivium.policy.local.select import forward_for

from .small import FAST, GENERIC, ask, ask_all, drift, model, tokens

EXACT = 1e-4


def test_the_allow_list_decides_which_forward_runs():
    import torch

    assert all(isinstance(forward_for(model(name), torch.float32), FastForward) for name in FAST)
    assert all(isinstance(forward_for(model(name), torch.float32), GenericForward) for name in GENERIC)


@pytest.mark.parametrize("name", FAST + GENERIC)
def test_ragged_prompts_in_one_batch(name):
    prompts = [tokens(count, seed=count) for count in (1, 2, 31, 64, 127, 128, 129, 200)]
    generations = ask_all(LocalEngine(model(name)), prompts)
    assert max(drift(model(name), *pair) for pair in zip(prompts, generations, strict=True)) < EXACT


@pytest.mark.parametrize("name", FAST + GENERIC)
def test_turns_and_edits_of_many_episodes_at_once(name):
    engine, made = LocalEngine(model(name), max_batch=3), model(name)
    episodes = 6 if name in FAST else 4

    async def episode(number):
        context, worst = tokens(20 + 9 * number, seed=number), 0.0
        for turn in range(4):
            sampling = Sampling(seed=100 * number + turn, max_tokens=5 + 3 * number, temperature=0.7)
            generation = await engine.generate(context, sampling, session=f"e{number}/main")
            worst = max(worst, drift(made, context, generation, 0.7))
            context = [*context, *generation.tokens, *tokens(7, seed=turn)]
            if turn % 2:
                del context[15 + turn : 25 + turn]
        return worst

    async def run():
        return await asyncio.gather(*(episode(number) for number in range(episodes)))

    assert max(asyncio.run(run())) < EXACT
    assert engine.counters.reused > 0


@pytest.mark.parametrize("name", ["qwen2", "neox"])
def test_prefill_in_chunks(name, monkeypatch):
    monkeypatch.setattr(continuous_batch, "_PREFILL", 50)
    prompts = [tokens(count, seed=count) for count in (170, 30, 49, 50, 51)]
    generations = ask_all(LocalEngine(model(name)), prompts)
    assert max(drift(model(name), *pair) for pair in zip(prompts, generations, strict=True)) < EXACT


def test_requests_join_and_leave_while_others_run():
    engine, made = LocalEngine(model("qwen2"), max_batch=4), model("qwen2")

    async def late(number):
        for _ in range(4 * number):
            await asyncio.sleep(0)
        prompt = tokens(10 + 13 * number, seed=number)
        generation = await engine.generate(prompt, Sampling(seed=number, max_tokens=3 + (17 * number) % 50))
        return drift(made, prompt, generation)

    async def run():
        return await asyncio.gather(*(late(number) for number in range(12)))

    assert max(asyncio.run(run())) < EXACT


def test_one_generation_grows_through_several_blocks():
    prompt = tokens(120)
    generation = ask(LocalEngine(model("qwen2")), prompt, new=150)
    assert len(generation.tokens) == 150
    assert drift(model("qwen2"), prompt, generation) < EXACT


@pytest.mark.parametrize("name", FAST)
def test_both_forwards_sample_the_same_tokens(name, monkeypatch):
    prompts = [tokens(count, seed=count) for count in (5, 40, 90)]
    fast = ask_all(LocalEngine(model(name)), prompts)
    monkeypatch.setattr("trivium.policy.local.select.is_fast", lambda model: False)
    slow = ask_all(LocalEngine(model(name)), prompts)
    assert [g.tokens for g in fast] == [g.tokens for g in slow]


def test_bfloat16_is_close():
    prompt = tokens(40)
    generation = ask(LocalEngine(model("qwen3"), dtype="bfloat16"), prompt)
    assert drift(model("qwen3"), prompt, generation) < 0.3


def test_auto_measures_the_machine():
    generation = ask(LocalEngine(model("qwen2"), dtype="auto"), tokens(5))
    assert len(generation.tokens) == 12
