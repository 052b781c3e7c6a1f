"""RemoteEngine against a real server of the embedded policy, and against the same engine in this process."""

import asyncio
import time

import pytest

from trivium.episode import ConfigError, EngineError, StopReason, say
from trivium.policy import Sampling, Weights
from trivium.policy.local import LocalEngine
from trivium.policy.remote import CutShortError, Endpoint, RemoteEngine, Retries, Wire

from .server import model, renderer, serving

QUICK = Retries(attempts=3, first_s=0.01, longest_s=0.05)


def prompt(words="Find the entry about sockets."):
    return [*renderer().opening([say("system", "You search."), say("user", words)]).tokens, *renderer().lead()]


def sampling(**changes):
    return Sampling(**({"seed": 5, "max_tokens": 8, "stop_ids": renderer().stop_ids} | changes))


async def ask(server, *, seconds=20.0, retries=QUICK, key_env=None, tokens=None, **how):
    engine = RemoteEngine(
        Wire(Endpoint.open(server.url, "embedded", key_env), retries=retries, seconds=seconds, connections=4)
    )
    try:
        return await engine.generate(tokens or prompt(), sampling(), **how), engine
    finally:
        await engine.close()


def test_a_server_gives_the_tokens_and_logprobs_of_the_engine_behind_it():
    local = asyncio.run(LocalEngine(model()).generate(prompt(), sampling()))
    with serving() as server:
        made, engine = asyncio.run(ask(server))
        assert server.seen[0][2]["prompt"] == prompt()
    assert made.tokens == local.tokens
    assert made.logprobs == pytest.approx(local.logprobs, abs=1e-6)
    assert made.stop == local.stop
    assert set(made.versions) == {"remote:embedded"}
    assert (engine.traffic.requests, engine.traffic.tokens) == (1, len(made.tokens))


def test_ids_that_are_spelled_are_read():
    with serving(["spelled", ""]) as server:
        assert asyncio.run(ask(server))[0] == asyncio.run(ask(server))[0]


@pytest.mark.parametrize("mood", [429, 503, "reset", "half", "hang"])
def test_what_another_attempt_mends_is_repeated_and_counted(mood):
    with serving([mood]) as server:
        made, engine = asyncio.run(ask(server, seconds=2.0 if mood == "hang" else 20.0))
    assert made.tokens
    assert engine.traffic.requests == 2
    assert engine.traffic.retried.total() == 1
    if isinstance(mood, int):
        assert engine.traffic.retried == {f"status {mood}": 1}


def test_attempts_are_bounded():
    with serving([500] * 9) as server:
        with pytest.raises(EngineError, match=r"/completions failed 3 times, at last by status 500"):
            asyncio.run(ask(server))
        assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("mood", "said"),
    [
        ("garbage", "no JSON"),
        ("list", "a JSON list, not an object"),
        (404, "answered 404"),
        ("silent", "no token ids with their log-probs, so nothing it says can be trained on"),
        ("stranger", "not the prompt that was sent"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_one_sentence_and_not_repeated(mood, said):
    with serving([mood]) as server:
        with pytest.raises(EngineError, match=said):
            asyncio.run(ask(server))
        assert len(server.seen) == 1


def test_nobody_listens():
    with serving() as server:
        pass
    with pytest.raises(EngineError, match="ConnectError"):
        asyncio.run(ask(server))


def test_a_deadline_ends_the_wait_for_a_server_that_hangs():
    with serving(["hang"]) as server:
        started = time.monotonic()
        made, _ = asyncio.run(ask(server, deadline=started + 0.3))
    assert made.stop is StopReason.DEADLINE
    assert made.tokens == ()
    assert time.monotonic() - started < 5


def test_a_deadline_ends_a_wait_between_attempts_too():
    async def go(server):
        slow = Retries(attempts=9, first_s=30, longest_s=30)
        return await ask(server, retries=slow, deadline=time.monotonic() + 0.3)

    with serving([503]) as server:
        assert asyncio.run(go(server))[0].stop is StopReason.DEADLINE


def test_cancelling_ends_a_request():
    async def go(server):
        cancel = asyncio.Event()
        asyncio.get_running_loop().call_later(0.2, cancel.set)
        return await ask(server, cancel=cancel)

    with serving(["hang"]) as server:
        assert asyncio.run(go(server))[0].stop is StopReason.CANCELLED


def test_a_caller_that_goes_away_leaves_no_request_behind():
    async def go(server):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(server), 0.2)
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    with serving(["hang"]) as server:
        assert asyncio.run(go(server)) == []


def test_a_key_travels_in_the_header_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "secret-7")
    with serving(key="secret-7") as server:
        made, engine = asyncio.run(ask(server, key_env="SOME_KEY"))
        assert made.tokens
        assert "secret-7" not in repr(vars(engine)) + repr(engine._wire.endpoint)
    monkeypatch.setenv("SOME_KEY", "secret-8")
    with serving(key="secret-7") as server, pytest.raises(EngineError, match="401") as caught:
        asyncio.run(ask(server, key_env="SOME_KEY"))
    assert "secret-8" not in str(caught.value)
    assert "[key]" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "key_env", "said"),
    [
        ("http://example.org/v1", None, "not this machine and no key is named"),
        ("http://example.org/v1", "NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
        ("ftp://127.0.0.1/v1", None, "none of a server"),
        ("http://me:secret@127.0.0.1/v1", None, "more than a path"),
    ],
)
def test_an_endpoint_that_cannot_serve_is_refused(url, key_env, said):
    with pytest.raises(ConfigError, match=said) as caught:
        Endpoint.open(url, "m", key_env)
    assert "secret" not in str(caught.value)


def test_no_weights_travel_to_a_server():
    engine = RemoteEngine(Wire(Endpoint.open("http://localhost:1/v1", "m")))
    with pytest.raises(EngineError, match="cannot be given the weights w1; train a local model"):
        engine.load(Weights("w1"), {})
    asyncio.run(engine.close())


def test_a_bare_wire_says_what_cut_it():
    async def go(server):
        wire = Wire(Endpoint.open(server.url, "m"), retries=QUICK)
        try:
            await wire.post("/completions", {}, deadline=time.monotonic() + 0.2)
        finally:
            await wire.close()

    with serving(["hang"]) as server, pytest.raises(CutShortError, match="was cut: deadline"):
        asyncio.run(go(server))
