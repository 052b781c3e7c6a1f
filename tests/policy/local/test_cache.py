"""What is read once is not read again: counted in prefilled tokens."""

import asyncio

import pytest

from trivium.policy.engine import Sampling
from trivium.policy.local import LocalEngine
from trivium.policy.local.cache import common_prefix

from .small import ask, ask_all, drift, model, tokens


@pytest.mark.parametrize("name", ["qwen2", "neox"])
def test_a_longer_context_reads_its_suffix_alone(name):
    engine = LocalEngine(model(name))
    first = ask(engine, tokens(100), session="e/main")
    assert engine.counters.prefilled == 100
    context = [*tokens(100), *first.tokens, *tokens(10, seed=1)]
    ask(engine, context, session="e/main")
    assert engine.counters.prefilled == 100 + 1 + 10  # the last sampled token was not read before
    assert engine.counters.reused == 100 + 11


@pytest.mark.parametrize("name", ["qwen2", "neox"])
def test_an_edited_context_reads_from_the_first_difference(name):
    engine = LocalEngine(model(name))
    ask(engine, tokens(100), session="e/main")
    edited = [*tokens(100)[:40], *tokens(100)[60:], 1]
    generation = ask(engine, edited, session="e/main")
    assert engine.counters.prefilled == 100 + len(edited) - 40
    assert drift(model(name), edited, generation) < 1e-4


def test_windows_that_slid_are_read_again_from_the_start():
    engine = LocalEngine(model("gemma2"))
    first = ask(engine, tokens(60), session="e/main")
    ask(engine, [*tokens(60), *first.tokens, 1], session="e/main")
    assert engine.counters.reused == 71
    edited = [*tokens(60)[:50], 1, 2]
    generation = ask(engine, edited, session="e/main")
    assert engine.counters.reused == 71
    assert drift(model("gemma2"), edited, generation) < 1e-4


def test_a_group_reads_its_prompt_once():
    engine, prompt = LocalEngine(model("qwen2")), tokens(100)
    generations = ask_all(engine, [prompt] * 8)
    assert engine.counters.prefilled == 100
    assert len({generation.tokens for generation in generations}) == 8
    assert max(drift(model("qwen2"), prompt, generation) for generation in generations) < 1e-4


def test_episodes_with_a_system_prompt_in_common_read_it_once():
    engine, system = LocalEngine(model("qwen2")), tokens(200)
    prompts = [[*system, *tokens(10, seed=n)] for n in range(1, 6)]
    generations = ask_all(engine, prompts)
    assert engine.counters.prefilled == 200 + 5 * 10
    assert max(drift(model("qwen2"), *pair) for pair in zip(prompts, generations, strict=True)) < 1e-4


def test_the_least_recently_used_session_leaves_first():
    engine = LocalEngine(model("qwen2"), max_cached_tokens=150)
    for name in ("a", "b"):
        ask(engine, tokens(50, seed=ord(name)), session=name)
    ask(engine, [*tokens(50, seed=ord("a")), 1], new=1, session="a")
    ask(engine, tokens(50, seed=ord("c")), session="c")
    assert engine.counters.evicted == 61
    assert engine.cached_tokens <= 150
    read = engine.counters.prefilled
    ask(engine, [*tokens(50, seed=ord("a")), 1, 2], new=1, session="a")
    assert engine.counters.prefilled == read
    ask(engine, [*tokens(50, seed=ord("b")), 1, 2], new=1, session="b")
    assert engine.counters.prefilled == read + 52


def test_two_calls_of_one_session_at_once_are_both_right():
    engine, made = LocalEngine(model("qwen2")), model("qwen2")
    first = ask(engine, tokens(50), session="e")
    contexts = [[*tokens(50), *first.tokens, *tokens(8, seed=n)] for n in (1, 2)]

    async def run():
        calls = (engine.generate(c, Sampling(seed=n, max_tokens=9), session="e") for n, c in enumerate(contexts))
        return await asyncio.gather(*calls)

    assert max(drift(made, *pair) for pair in zip(contexts, asyncio.run(run()), strict=True)) < 1e-4


@pytest.mark.parametrize(
    ("a", "b", "expected"), [([1, 2, 3], [1, 2, 4], 2), ([], [1], 0), ([1], [2], 0), ([1, 2], [1, 2], 2)]
)
def test_common_prefix(a, b, expected):
    assert common_prefix(a, b, 99) == expected
    assert common_prefix(a, b, 1) == min(expected, 1)
