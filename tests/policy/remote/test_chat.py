"""A chat server in the harness of a policy, and asked directly."""

import asyncio

import pytest

from harness.world import Shelf, World, episode, wide
from trivium.episode import EngineError, Invalid, say
from trivium.harness import Harness, Pruning, run_episode
from trivium.policy import Policy, Sampling
from trivium.policy.remote import Chat, ChatEngine, ChatReply, Endpoint, Retries, Tape, Wire
from trivium.policy.remote.chat import only_model
from trivium.policy.remote.chat_engine import _told

from .server import renderer, serving

QUICK = Retries(attempts=2, first_s=0.01, longest_s=0.05)


def wire(server, **how):
    return Wire(Endpoint.open(server.url, "embedded"), retries=QUICK, **how)


async def lived(server, **how):
    tape = Tape(renderer().codec)
    engine = ChatEngine(Chat(wire(server, **how)), tape)
    try:
        acts = Harness(Policy("p", engine, tape, max_tokens=10), Pruning(wide(2000, turns=2)))
        return await run_episode(episode(), World(Shelf()), acts)
    finally:
        await engine.close()


def test_a_chat_server_lives_an_episode_and_is_never_taken_for_a_policy_that_trains():
    with serving() as server:
        done = asyncio.run(lived(server))
        first = server.seen[0][2]
    assert done.outcome is not None
    assert not isinstance(done.outcome, Invalid)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert {tool["function"]["name"] for tool in first["tools"]} == {"show", "prune_chunks"}
    actions = [node for node in done.tree.nodes if node.sampled]
    assert actions
    assert all(set(node.sampled.versions) == {"chat:embedded"} for node in actions)


def test_a_server_that_keeps_failing_makes_the_episode_invalid():
    with serving([500] * 9) as server:
        done = asyncio.run(lived(server))
    assert isinstance(done.outcome, Invalid)
    assert done.outcome.boundary == "engine"
    assert "failed 2 times, at last by status 500" in done.outcome.reason


def test_a_judge_asks_with_words_and_is_answered_with_words():
    async def go(server):
        chat = Chat(wire(server))
        try:
            return await chat.text("Say lighthouse.", max_tokens=16, seed=3)
        finally:
            await chat.close()

    with serving() as server:
        assert isinstance(asyncio.run(go(server)), str)
        assert server.seen[0][2]["messages"] == [{"role": "user", "content": "Say lighthouse."}]


def test_completions_are_no_chat():
    async def go(server):
        chat = Chat(wire(server))
        try:
            await chat.text("x", max_tokens=4)
        finally:
            await chat.close()

    with serving(["list"]) as server, pytest.raises(EngineError, match="not an object"):
        asyncio.run(go(server))


def test_the_only_model_is_found_and_several_must_be_chosen_from():
    async def go(server):
        plain = wire(server)
        try:
            return await only_model(plain)
        finally:
            await plain.close()

    with serving() as server:
        assert asyncio.run(go(server)) == "embedded"
    with serving(models=("a", "b")) as server, pytest.raises(EngineError, match=r"names 2 models \(a, b\)"):
        asyncio.run(go(server))


def test_calls_left_in_the_text_are_taken_out_of_it():
    text, calls = _told(ChatReply('<tool_call>{"name": "show", "arguments": {"ids": ["1"]}}</tool_call>'))
    assert text == ""
    assert [call.name for call in calls] == ["show"]
    assert _told(ChatReply("<Document id=1></Document>")) == ("<Document id=1></Document>", ())


def test_a_reply_over_the_cap_is_cut_and_says_so():
    async def go(server):
        tape = Tape(renderer().codec)
        engine = ChatEngine(Chat(wire(server)), tape, thinking=40)
        try:
            asked = say("user", "Find the entry about sockets and ports and addresses.")
            prompt = [*tape.opening([asked]).tokens, *tape.lead()]
            return await engine.generate(prompt, Sampling(seed=1, max_tokens=3, stop_ids=tape.stop_ids))
        finally:
            await engine.close()

    with serving() as server:
        made = asyncio.run(go(server))
        assert server.seen[0][2]["max_tokens"] == 43
    assert len(made.tokens) <= 3
