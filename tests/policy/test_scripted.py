"""A scripted engine says what it is told, honestly, and needs no torch."""

import asyncio
import subprocess
import sys
import time

import pytest

from trivium.episode import ConfigError, EngineError, StopReason
from trivium.policy.engine import Sampling, Weights
from trivium.policy.scripted import ScriptedEngine

STOP = 0
SAMPLING = Sampling(seed=0, max_tokens=8, stop_ids=frozenset({STOP}))


def encode(text):
    return [ord(letter) for letter in text]


def ask(engine, tokens=(1,), sampling=SAMPLING, **how):
    return asyncio.run(engine.generate(tokens, sampling, **how))


def test_text_is_encoded_and_ends_with_the_stop_id():
    generation = ask(ScriptedEngine(lambda tokens: f"n{len(tokens)}", encode, STOP), [5, 6, 7])
    assert generation.tokens == (*encode("n3"), STOP)
    assert generation.stop is StopReason.STOP
    assert generation.logprobs == (0.0, 0.0, 0.0)
    assert list(generation.versions) == ["scripted"] * 3


def test_ids_are_cut_at_the_cap_and_after_the_first_stop_id():
    assert ask(ScriptedEngine(lambda _: range(1, 20))).tokens == tuple(range(1, 9))
    assert ask(ScriptedEngine(lambda _: range(1, 20))).stop is StopReason.LENGTH
    assert ask(ScriptedEngine(lambda _: [4, STOP, 5])).tokens == (4, STOP)


def test_an_answer_that_would_never_end_is_refused():
    with pytest.raises(ConfigError, match="stop_id"):
        ask(ScriptedEngine(lambda _: [4]))
    with pytest.raises(ConfigError, match="encode"):
        ask(ScriptedEngine(lambda _: "text"))


def test_every_session_has_a_play_of_its_own():
    async def play(tokens):
        count = 0
        while True:
            count += 1
            tokens = yield [len(tokens), count]

    async def run():
        engine = ScriptedEngine(play, stop_id=STOP)
        asked = [("a", 1), ("b", 2), ("a", 3), ("a", 4), ("b", 5)]
        done = [(await engine.generate([9] * n, SAMPLING, session=name)).tokens[:2] for name, n in asked]
        await engine.close()
        return done

    assert asyncio.run(run()) == [(1, 1), (2, 1), (3, 2), (4, 3), (5, 2)]


def test_a_play_that_is_over_is_an_engine_error():
    async def play(tokens):
        yield [1]

    async def run():
        engine = ScriptedEngine(play, stop_id=STOP)
        await engine.generate([1], SAMPLING, session="a")
        with pytest.raises(EngineError, match="session a is over"):
            await engine.generate([1], SAMPLING, session="a")

    asyncio.run(run())


def test_a_slow_play_meets_its_deadline_and_answers_the_next_call():
    async def play(tokens):
        await asyncio.sleep(0.05)
        yield [7]

    async def run():
        engine = ScriptedEngine(play, stop_id=STOP)
        late = await engine.generate([1], SAMPLING, deadline=time.monotonic() + 0.01)
        whole = await engine.generate([1], SAMPLING, deadline=time.monotonic() + 5)
        return late, whole

    late, whole = asyncio.run(run())
    assert (late.stop, late.tokens) == (StopReason.DEADLINE, ())
    assert whole.tokens == (7, STOP)


def test_cancellation():
    async def play(tokens):
        await asyncio.sleep(30)
        yield [7]

    async def run():
        engine, cancel = ScriptedEngine(play), asyncio.Event()
        call = asyncio.create_task(engine.generate([1], SAMPLING, cancel=cancel))
        await asyncio.sleep(0.01)
        cancel.set()
        waited = await call
        at_once = await ScriptedEngine(lambda _: [STOP]).generate([1], SAMPLING, cancel=cancel)
        await engine.close()
        with pytest.raises(EngineError, match="closed"):
            await engine.generate([1], SAMPLING)
        return waited.stop, at_once.stop

    assert asyncio.run(run()) == (StopReason.CANCELLED, StopReason.CANCELLED)


def test_loaded_weights_name_later_answers():
    engine = ScriptedEngine(lambda _: [STOP])
    engine.load(Weights("later"), {})
    assert ask(engine).versions.ids == ("later",)


def test_the_engine_and_its_seam_import_no_torch():
    code = "import sys, trivium.policy.scripted, trivium.policy.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
