"""Weights that arrive in mid-generation: read again (exact), or over the old keys and values (marked, to the token)."""

import asyncio
import inspect

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import DynamicCache

from trivium.episode import Versions
from trivium.policy.engine import Sampling, Weights
from trivium.policy.local import LocalEngine

from .small import model, tokens

NETS = {name: {"w0": model(name), "w1": model(name, seed=1), "w2": model(name, seed=2)} for name in ("qwen2", "neox")}
CALLS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 30)), min_size=1, max_size=3)
"""Length of each prompt, and the token boundary at which it is sent."""
LOADS = st.lists(st.integers(1, 20), min_size=1, max_size=2)
"""Token boundaries between the loads."""
few = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


async def lived(name, in_flight, calls, loads):
    """All generations, with loads on the way; and which of them had read something at each load."""
    nets = NETS[name]
    engine = LocalEngine(nets["w0"], Weights("w0"), max_batch=3, in_flight=in_flight)

    async def call(number, length, start):
        for _ in range(start):
            await asyncio.sleep(0)
        sampling = Sampling(seed=number, max_tokens=12)
        return await engine.generate(tokens(length, seed=number), sampling, session=f"{number}")

    async def switch():
        for number, wait in enumerate(loads, 1):
            for _ in range(wait):
                await asyncio.sleep(0)
            engine.load(Weights(f"w{number}"), nets[f"w{number}"].state_dict())

    running = [call(number, *where) for number, where in enumerate(calls)]
    *generations, _ = await asyncio.gather(*running, switch())
    for number, (length, _) in enumerate(calls):  # a turn more: nothing mixed was kept for it
        context = [*tokens(length, seed=number), *generations[number].tokens, 1, 2]
        generations.append(await engine.generate(context, Sampling(seed=9, max_tokens=3), session=f"{number}"))
    prompts = [tokens(length, seed=number) for number, (length, _) in enumerate(calls)]
    prompts += [[*prompt, *generation.tokens, 1, 2] for prompt, generation in zip(prompts, generations, strict=False)]
    return list(zip(prompts, generations, strict=True))


@torch.no_grad()
def reference(nets, prompt, generation, keep):
    """Log-probs by Hugging Face, token by token: over the keys that are there, or over all read again."""
    context, said = list(prompt), []
    cache, read, before = None, 0, None
    for token, version in zip(generation.tokens, generation.versions, strict=True):
        net = nets[version]
        if cache is None or (version != before and not keep):
            cache, read = DynamicCache(config=net.config), 0
        name = "cache" if "cache" in inspect.signature(net.forward).parameters else "past_key_values"
        logits = net(input_ids=torch.tensor([context[read:]]), use_cache=True, **{name: cache}).logits[0, -1]
        said.append(float(logits.float().log_softmax(-1)[token]))
        read, before = len(context), version
        context.append(token)
    return said


def gap(nets, prompt, generation, keep):
    said = reference(nets, prompt, generation, keep)
    return max(abs(a - b) for a, b in zip(said, generation.logprobs, strict=True))


@pytest.mark.parametrize("name", NETS)
@few
@given(CALLS, LOADS)
def test_read_again_every_token_is_that_of_its_weights(name, calls, loads):
    for prompt, generation in asyncio.run(lived(name, "recompute", calls, loads)):
        assert gap(NETS[name], prompt, generation, keep=False) < 1e-4
        assert generation.versions.not_recomputable == 0


@pytest.mark.parametrize("name", NETS)
@few
@given(CALLS, LOADS)
def test_over_old_keys_exactly_what_follows_the_load_is_marked(name, calls, loads):
    for prompt, generation in asyncio.run(lived(name, "keep_kv", calls, loads)):
        versions = generation.versions
        assert gap(NETS[name], prompt, generation, keep=True) < 1e-4
        expected = (False, *(True for _ in versions.ids[1:])) if len(versions.ids) > 1 else ()
        assert versions.mixed == expected
        assert versions.not_recomputable == len(versions) - versions.counts[0]


def test_the_marks_are_needed():
    """Over old keys the log-probs are those of no one set of weights."""
    ((prompt, generation), _) = asyncio.run(lived("qwen2", "keep_kv", [(30, 0)], [9]))
    assert generation.versions.ids == ("w0", "w1")
    assert gap(NETS["qwen2"], prompt, generation, keep=False) > 1e-2


def test_marks_are_one_for_each_run():
    assert Versions(("a", "b"), (2, 3), (False, True)).not_recomputable == 3
    with pytest.raises(ValueError, match="each id needs one"):
        Versions(("a", "b"), (2, 3), (True,))
