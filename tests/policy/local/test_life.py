"""Deadlines, cancellation, continuation, priority, limits, failures: nobody waits for ever, nothing is lost."""

import asyncio
import time

import pytest
import torch

from trivium.episode import ConfigError, EngineError, StopReason
from trivium.policy.engine import Engine, Sampling
from trivium.policy.local import LocalEngine

from .small import ask, model, tokens


def engine(**how) -> Engine:
    return LocalEngine(model("qwen2"), **how)


def test_a_stop_token_ends_a_generation_and_is_its_last_token():
    free = ask(engine(), tokens(9), new=40)
    stop = free.tokens[10]
    first = free.tokens.index(stop)
    stopped = ask(engine(), tokens(9), sampling=Sampling(seed=0, max_tokens=40, stop_ids=frozenset({stop})))
    assert stopped.stop is StopReason.STOP
    assert stopped.tokens == free.tokens[: first + 1]
    assert free.stop is StopReason.LENGTH


def test_a_deadline_gives_the_tokens_so_far():
    generation = ask(engine(), tokens(9), new=400, deadline=time.monotonic() + 0.05)
    assert generation.stop is StopReason.DEADLINE
    assert len(generation.tokens) == len(generation.logprobs) == len(generation.versions) < 400


def test_a_deadline_that_has_passed_gives_no_tokens():
    generation = ask(engine(), tokens(9), deadline=time.monotonic() - 1)
    assert (generation.stop, generation.tokens, len(generation.versions)) == (StopReason.DEADLINE, (), 0)


def test_a_deadline_reaches_a_request_in_the_queue():
    async def run():
        small = engine(max_batch=1)
        long = asyncio.create_task(small.generate(tokens(9), Sampling(seed=0, max_tokens=200)))
        await asyncio.sleep(0)
        queued = await small.generate(tokens(5), Sampling(seed=1, max_tokens=5), deadline=time.monotonic() + 0.02)
        assert not long.done()
        await long
        return queued

    assert asyncio.run(run()).stop is StopReason.DEADLINE


def test_a_partial_generation_continued_equals_an_uninterrupted_one():
    async def run(session):
        sampler, cancel = engine(), asyncio.Event()
        call = asyncio.create_task(
            sampler.generate(tokens(9), Sampling(seed=3, max_tokens=60), cancel=cancel, session=session)
        )
        for _ in range(20):
            await asyncio.sleep(0)
        cancel.set()
        part = await call
        rest = await sampler.generate(
            [*tokens(9), *part.tokens], Sampling(seed=3, max_tokens=60 - len(part.tokens)), session=session
        )
        return part, rest

    whole = ask(engine(), tokens(9), seed=3, new=60)
    for session in ("e/main", None):
        part, rest = asyncio.run(run(session))
        assert part.stop is StopReason.CANCELLED
        assert 0 < len(part.tokens) < 60
        assert part.tokens + rest.tokens == whole.tokens


def test_cancelling_the_task_frees_its_place():
    async def run():
        small = engine(max_batch=1)
        call = asyncio.create_task(small.generate(tokens(9), Sampling(seed=0, max_tokens=300)))
        await asyncio.sleep(0.01)
        call.cancel()
        after = await small.generate(tokens(5), Sampling(seed=1, max_tokens=5))
        with pytest.raises(asyncio.CancelledError):
            await call
        return after, small.counters.decoded

    after, decoded = asyncio.run(run())
    assert after.stop is StopReason.LENGTH
    assert decoded < 250


def test_higher_priority_goes_first_when_the_batch_is_full():
    async def run():
        small, order = engine(max_batch=1), []

        async def one(name, priority):
            await small.generate(tokens(4), Sampling(seed=0, max_tokens=3), priority=priority)
            order.append(name)

        await asyncio.gather(one("first", 0), one("low", 0), one("low too", 0), one("high", 5))
        return order

    assert asyncio.run(run()) == ["high", "first", "low", "low too"]


def test_a_prompt_longer_than_the_window_is_refused_in_one_sentence():
    with pytest.raises(ConfigError, match="512 tokens and the window is 512; lower the context budget"):
        ask(engine(), tokens(512))
    with pytest.raises(ConfigError, match="window is 64"):
        ask(engine(max_cached_tokens=64), tokens(70))
    with pytest.raises(ConfigError, match="empty"):
        ask(engine(), [])


def test_the_window_ends_a_generation():
    generation = ask(engine(max_cached_tokens=64), tokens(50), new=100)
    assert (len(generation.tokens), generation.stop) == (14, StopReason.LENGTH)


def test_live_requests_never_hold_more_than_the_cap():
    async def run():
        small = engine(max_cached_tokens=100)

        async def watch():
            while True:
                assert small.cached_tokens <= 100
                await asyncio.sleep(0)

        watcher = asyncio.create_task(watch())
        calls = (small.generate(tokens(20, seed=n), Sampling(seed=n, max_tokens=20), session=str(n)) for n in range(6))
        done = await asyncio.gather(*calls)
        assert not watcher.done()
        watcher.cancel()
        return done

    assert all(len(generation.tokens) == 20 for generation in asyncio.run(run()))


def test_a_failing_step_reaches_every_caller_and_the_engine_lives_on(monkeypatch):
    sampler = engine(max_batch=2)

    async def run():
        calls = (sampler.generate(tokens(5), Sampling(seed=n, max_tokens=9)) for n in range(4))
        return await asyncio.gather(*calls, return_exceptions=True)

    with monkeypatch.context() as patch:
        patch.setattr("trivium.policy.local.fast.trunk", _explode)
        errors = asyncio.run(run())
    assert all(isinstance(error, EngineError) and "out of memory" in str(error) for error in errors)
    assert len(ask(sampler, tokens(5)).tokens) == 12


def _explode(*_):
    raise RuntimeError("out of memory")


def test_weights_that_are_not_finite_are_an_error():
    sampler = engine()
    state = {name: torch.full_like(tensor, float("nan")) for name, tensor in model("qwen2").state_dict().items()}
    sampler.load(sampler.weights, state)
    with pytest.raises(EngineError, match="not finite"):
        ask(sampler, tokens(5))


def test_close_answers_what_runs_and_refuses_what_comes():
    async def run():
        sampler = engine()
        call = asyncio.create_task(sampler.generate(tokens(5), Sampling(seed=0, max_tokens=400), session="e"))
        for _ in range(10):
            await asyncio.sleep(0)
        await sampler.close()
        assert sampler.cached_tokens == 0
        with pytest.raises(EngineError, match="closed"):
            await sampler.generate(tokens(5), Sampling(seed=0, max_tokens=4))
        return await call

    generation = asyncio.run(run())
    assert generation.stop is StopReason.CANCELLED
    assert len(generation.tokens) > 0


def test_an_idle_engine_leaves_no_task_behind():
    async def run():
        sampler = engine()
        await sampler.generate(tokens(5), Sampling(seed=0, max_tokens=4))
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1


def test_a_cancelled_engine_task_is_an_error_and_not_a_hang():
    async def run():
        sampler = LocalEngine(model("qwen2"))
        call = asyncio.create_task(sampler.generate(tokens(5), Sampling(seed=0, max_tokens=400)))
        await asyncio.sleep(0.01)
        next(task for task in asyncio.all_tasks() if task.get_name() == "trivium local engine").cancel()
        with pytest.raises(EngineError, match="cancelled"):
            await call

    asyncio.run(run())


def test_an_engine_without_room_is_refused():
    with pytest.raises(ConfigError, match="max_batch 0"):
        engine(max_batch=0)
