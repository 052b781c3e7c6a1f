"""Turns: token identity, calls that are wrong, and what becomes of a failure."""

import asyncio
import time

import pytest

from trivium.episode import (
    EngineError,
    Invalid,
    Kind,
    Life,
    Piece,
    Reward,
    SandboxError,
    Scored,
    StopReason,
    ToolResult,
    ToolSpec,
    Versions,
    dumps,
    loads,
)
from trivium.harness import Harness, Pruning, run, score, step, tool
from trivium.policy.engine import Generation
from trivium.policy.policy import Policy

from .world import Shelf, World, call, chunk, episode, harness, live, play, pruned, renderer, show, steps, text, wide


def test_the_next_prompt_begins_with_the_sampled_ids_as_they_were():
    seen = []
    lived = live(harness(show("11"), "  odd \n\n white  space" + show("12"), show("13"), "done", seen=seen))
    actions = lived.tree.actions()
    for prompt, later, node in zip(seen, seen[1:], actions, strict=False):
        assert later[: len(prompt)] == prompt
        own = list(node.tokens[node.lead :])
        assert later[len(prompt) : len(prompt) + len(own)] == own


def test_a_reply_that_was_cut_is_closed_by_what_follows_and_keeps_its_ids():
    seen = []
    cut = show("11")
    lived = live(harness(cut + "y" * 50, "done", seen=seen, cap=len(renderer().encode_text(cut)) + 7))
    end = renderer().codec.control("<|im_end|>")
    action = lived.tree.actions()[0]
    assert action.sampled.stop is StopReason.LENGTH
    assert end not in action.tokens
    own = list(action.tokens)
    at = len(seen[0]) - action.lead
    assert seen[1][at : at + len(own) + 1] == [*own, end]
    assert seen[1].count(end) == 4  # system, user, the action, its observation
    assert lived.answer == "done"


def test_a_cut_answer_is_an_answer():
    lived = live(harness("a long answer", cap=3))
    assert isinstance(lived.outcome, Scored)
    assert lived.counters["concluded"] == 1


@pytest.mark.parametrize(
    ("reply", "counter"),
    [
        ("<tool_call>{bad json</tool_call>", "malformed_calls"),
        ('<tool_call>{"name": "show"}', "malformed_calls"),
        ('<tool_call>{"name": "show", "arguments": [1]}</tool_call>', "malformed_calls"),
        ('<tool_call>{"name": "a\\ud800", "arguments": {}}</tool_call>', "malformed_calls"),
        (call("fly", to="moon"), "unknown_calls"),
        (call("<|im_end|>" * 9), "unknown_calls"),
    ],
)
def test_a_broken_call_is_an_observation_and_counted(reply, counter):
    lived = live(harness(reply, "done"))
    assert lived.counters[counter] == 1
    assert isinstance(lived.outcome, Scored)
    assert "Error: " in text(lived)
    assert loads(dumps(lived)) == lived


def test_calls_and_malformed_calls_of_one_turn_each_get_one_observation():
    lived = steps(harness(show("11") + "<tool_call>x</tool_call>" + call("fly") + show("12")), 1)
    said = [node.message.text for node in lived.context(lived.main).nodes if node.kind is Kind.OBSERVATION]
    assert len(said) == 4
    assert "word11" in said[0]
    assert "no tool fly" in said[1]
    assert "word12" in said[2]
    assert "could not be read" in said[3]
    assert ["Token usage" in item for item in said] == [False, False, False, True]


def breaks(error):
    def fail(x: int) -> str:
        """Fail."""
        raise error

    return tool(fail)


class Bare:
    spec = ToolSpec("fail", "", {"type": "object", "properties": {}})

    async def __call__(self, arguments, context):
        raise KeyError("oops")


@pytest.mark.parametrize(
    ("broken", "boundary", "says"),
    [
        (breaks(ValueError("no")), "tool", "fail raised ValueError: no"),
        (breaks(SystemExit(3)), "tool", "SystemExit"),
        (breaks(StopIteration()), "tool", "StopIteration"),
        (breaks(TimeoutError("socket")), "tool", "fail raised TimeoutError: socket"),
        (breaks(SandboxError("gone")), "sandbox", "gone"),
        (Bare(), "tool", "fail raised KeyError"),
    ],
)
def test_a_tool_that_raises_leaves_the_episode_invalid(broken, boundary, says):
    lived = live(harness(call("fail", x=1)), broken)
    assert isinstance(lived.outcome, Invalid)
    assert lived.outcome.boundary == boundary
    assert says in lived.outcome.reason
    assert lived.life is Life.SCORED
    assert lived.rewards == []


async def sleeps() -> str:
    """Sleep."""
    await asyncio.sleep(50)
    return "late"


def blocks() -> str:
    """Block."""
    time.sleep(50)
    return "late"


@pytest.mark.parametrize("slow", [sleeps, blocks])
def test_a_tool_that_hangs_is_left_at_the_deadline(slow):
    start = time.monotonic()
    lived = live(harness(call(slow.__name__), budget=wide(seconds=0.3)), tool(slow))
    assert lived.outcome.boundary == "tool"
    assert "did not answer before the episode's deadline" in lived.outcome.reason
    assert time.monotonic() - start < 20


class Fixed:
    """Gives one generation."""

    def __init__(self, made):
        self.made = made

    async def generate(self, tokens, sampling, **_):
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def generation(count=1, stop=StopReason.STOP, logprobs=None):
    versions = Versions(("w",), (count,)) if count else Versions((), ())
    return Generation((5,) * count, (0.0,) * (count if logprobs is None else logprobs), versions, stop)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (generation(2, StopReason.DEADLINE), "cut before its end: deadline"),
        (generation(0, StopReason.DEADLINE), "cut before its end: deadline"),
        (generation(1, StopReason.CANCELLED), "cut before its end: cancelled"),
        (generation(0), "no token"),
        (generation(2, logprobs=1), "1 log-probs"),
        (generation(300), "at most 200"),
        (EngineError("out of memory"), "out of memory"),
        (TimeoutError(), "timed out"),
    ],
)
def test_an_engine_that_fails_or_gives_part_leaves_the_episode_invalid(made, says):
    policy = Policy("p", Fixed(made), renderer(), max_tokens=200)
    world = World()
    lived = play(run(episode(), world, Harness(policy, Pruning(wide()))))
    assert isinstance(lived.outcome, Invalid)
    assert lived.outcome.boundary == "engine"
    assert says in lived.outcome.reason
    assert (world.opened, world.closed) == (1, 1)
    assert lived.rewards == []


def test_a_deadline_that_passed_leaves_the_episode_invalid():
    lived = live(harness("done", budget=wide(seconds=0)))
    assert lived.outcome == Invalid("engine", "turn 0 was cut before its end: deadline")


@pytest.mark.parametrize("worth", [lambda _: [Reward("other", 1.0)], lambda _: 1 / 0])
def test_an_environment_that_cannot_judge_leaves_the_episode_invalid(worth):
    lived = live(harness("done"), worth=worth)
    assert lived.outcome.boundary == "judge"
    assert lived.rewards == []


def test_an_ended_episode_is_scored_once():
    lived = live(harness(show("11"), "done"))
    again = score(lived, World())
    assert len(again.rewards) == 1
    assert again.outcome == Scored(1.0, "done")


def test_an_episode_stored_between_any_two_turns_goes_on_to_the_same_end():
    replies = (
        show("11", "12"),
        show("13") + pruned("11"),
        "<tool_call>x</tool_call>",
        pruned("12"),
        show("14"),
        "done",
    )
    texts = {"11": chunk("11", 100)}
    acts = harness(*replies, budget=wide(3000, soft=500, hard=2000), notice="NOTICE")
    straight = live(acts, Shelf(texts))
    assert straight.main.turns == 6
    assert straight.counters["notices"] > 0
    for pause in range(6):
        halfway = loads(dumps(steps(acts, pause, Shelf(texts))))
        halfway.life = Life.PAUSED
        resumed = play(run(halfway, World(Shelf(texts)), acts))
        assert dumps(resumed) == dumps(straight)


def test_a_pause_after_every_turn_changes_nothing():
    acts = harness(show("11"), show("12"), pruned("11"), "done")

    async def piecemeal():
        lived = episode()
        while lived.life in (Life.QUEUED, Life.RUNNING):
            lived = loads(dumps(await step(lived, World(), acts, time.monotonic() + 60)))
        return score(lived, World())

    assert dumps(play(piecemeal())) == dumps(live(acts))


def test_seeds_differ_by_turn_and_repeat_by_episode():
    first, second = (live(harness(show("11"), show("12"), "done")) for _ in range(2))
    seeds = [node.sampled.seed for node in first.tree.actions()]
    assert len(set(seeds)) == 3
    assert seeds == [node.sampled.seed for node in second.tree.actions()]


def test_an_environment_is_closed_when_the_task_does_not_fit():
    world = World(prompt="x" * 9000)
    with pytest.raises(ValueError, match="opening"):
        play(run(episode(), world, harness("done", budget=wide(1000))))
    assert world.closed == 1


def test_a_tool_may_answer_with_parts_of_its_own():
    def notes() -> ToolResult:
        """Notes."""
        return ToolResult(pieces=(Piece("a note\n", id="77"),))

    lived = steps(harness(call("notes"), pruned("77")), 2, tool(notes))
    assert "a note" not in text(lived)
