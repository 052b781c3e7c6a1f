"""Turns: token identity, calls that are wrong, and what becomes of a failure."""

import asyncio
import time

import pytest

from trivium.episode import (
    ConfigError,
    DataError,
    EngineError,
    Invalid,
    Kind,
    Life,
    Piece,
    Reward,
    SandboxError,
    Scored,
    StopReason,
    ToolError,
    ToolResult,
    ToolSpec,
    Versions,
    dumps,
    loads,
)
from trivium.harness import Harness, Pruning, run_episode, score, step, tool
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

    def __init__(self, error):
        self.error = error

    async def __call__(self, arguments, context):
        raise self.error


class NoJsonError(ValueError, OSError):
    """As libraries for HTTP have it: a reply that is no JSON."""


@pytest.mark.parametrize(
    ("broken", "boundary", "says"),
    [
        (breaks(AttributeError("no")), "tool", "fail raised AttributeError: no"),
        (breaks(NoJsonError("no")), "tool", "fail raised NoJsonError: no"),
        (breaks(DataError("torn")), "tool", "fail raised DataError: torn"),
        (breaks(MemoryError()), "tool", "fail raised MemoryError"),
        (breaks(SystemExit(3)), "tool", "SystemExit"),
        (breaks(StopIteration()), "tool", "StopIteration"),
        (breaks(TimeoutError("socket")), "tool", "fail raised TimeoutError: socket"),
        (breaks(SandboxError("gone")), "sandbox", "gone"),
        (Bare(ConnectionError("lost")), "tool", "fail raised ConnectionError: lost"),
    ],
)
def test_a_tool_that_raises_leaves_the_episode_invalid(broken, boundary, says):
    lived = live(harness(call("fail", x=1)), broken)
    assert isinstance(lived.outcome, Invalid)
    assert lived.outcome.boundary == boundary
    assert says in lived.outcome.reason
    assert lived.life is Life.SCORED
    assert lived.rewards == []


def div(a: int, b: int) -> float:
    """a / b."""
    return a / b


def fact(about: str) -> str:
    """A fact."""
    return {"moon": "grey"}[about]


@pytest.mark.parametrize(
    ("called", "broken", "says"),
    [
        (call("div", a=1, b=0), tool(div), "Error: div raised ZeroDivisionError: division by zero"),
        (call("fact", about="sun"), tool(fact), "Error: fact raised KeyError: 'sun'"),
        (call("fail", x=1), breaks(ValueError("x is odd")), "Error: fail raised ValueError: x is odd"),
        (call("fail", x=1), breaks(RecursionError("deep")), "Error: fail raised RecursionError: deep"),
        (call("fail"), Bare(TypeError("none")), "Error: fail raised TypeError: none"),
    ],
)
def test_what_an_agents_arguments_break_is_an_observation_and_a_cost(called, broken, says):
    lived = live(harness(called, "done"), broken)
    assert isinstance(lived.outcome, Scored)
    assert says in text(lived)
    assert (lived.counters["wrong_calls"], lived.counters["raised_calls"], lived.broken_calls) == (1, 1, 1)


def test_a_long_complaint_takes_no_more_than_a_call_may():
    lived = steps(harness(call("fail", x=1), budget=wide(per_call=40)), 1, breaks(ValueError("word " * 9000)))
    assert renderer().count(lived.context(lived.main).last.message.pieces[0].text) <= 40 + renderer().count("Error: ")


async def sleeps() -> str:
    """Sleep."""
    await asyncio.sleep(50)
    return "late"


def blocks() -> str:
    """Block."""
    time.sleep(50)
    return "late"


@pytest.fixture
def impatient(monkeypatch):
    """What is late is taken for dead at once."""
    monkeypatch.setattr("trivium.harness.asking.TOOL_GRACE_S", 0.2)


@pytest.mark.parametrize("slow", [sleeps, blocks])
def test_a_tool_that_hangs_is_left_after_the_deadline(slow, impatient):
    start = time.monotonic()
    lived = live(harness(call(slow.__name__), budget=wide(seconds=0.3)), tool(slow))
    assert lived.outcome.boundary == "tool"
    assert "is silent after the episode's deadline" in lived.outcome.reason
    assert time.monotonic() - start < 20


def test_a_call_that_ends_after_the_deadline_is_read_and_the_episode_is_scored():
    async def slow() -> str:
        await asyncio.sleep(0.6)
        return "late"

    lived = live(harness(call("slow"), "done", budget=wide(seconds=0.3)), tool(slow))
    assert isinstance(lived.outcome, Scored)
    assert lived.counters["seconds_spent"] == 1
    assert "late" in text(lived)
    assert lived.main.turns == 1


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
    lived = play(run_episode(episode(), world, Harness(policy, Pruning(wide()))))
    assert isinstance(lived.outcome, Invalid)
    assert lived.outcome.boundary == "engine"
    assert says in lived.outcome.reason
    assert (world.opened, world.closed) == (1, 1)
    assert lived.rewards == []


def test_an_episode_without_time_is_scored():
    lived = live(harness("done", budget=wide(seconds=0)))
    assert lived.outcome == Scored(0.0, "")
    assert lived.counters == {"seconds_spent": 1}


class Slow:
    """Gives what it has at the deadline, as engines do."""

    def __init__(self, said):
        self.said = renderer().encode_text(said)

    async def generate(self, tokens, sampling, *, deadline, **_):
        await asyncio.sleep(deadline - time.monotonic() + 0.01)
        count = len(self.said)
        versions = Versions(("w",), (count,)) if count else Versions((), ())
        return Generation(tuple(self.said), (-0.5,) * count, versions, StopReason.DEADLINE)


@pytest.mark.parametrize(("said", "answer"), [("an ans", "an ans"), ("", ""), (show("11"), ""), (show("11")[:-14], "")])
def test_an_action_that_the_deadline_cuts_is_kept_and_the_episode_scored(said, answer):
    policy = Policy("p", Slow(said), renderer(), max_tokens=200)
    lived = play(run_episode(episode(), World(), Harness(policy, Pruning(wide(seconds=0.2)))))
    assert lived.outcome == Scored(0.0, answer)  # its call was not answered: nothing was shown
    assert lived.counters == {"seconds_spent": 1}
    (action,) = lived.tree.actions()
    assert (action.sampled.stop, len(action.sampled.logprobs)) == (StopReason.DEADLINE, len(policy.engine.said))
    assert len(lived.main.state["prune_only"]) == lived.main.turns == 1
    assert loads(dumps(lived)) == lived


@pytest.mark.parametrize("worth", [lambda _: [Reward("other", 1.0)], lambda _: 1 / 0])
def test_an_environment_that_cannot_judge_leaves_the_episode_invalid(worth):
    lived = live(harness("done"), worth=worth)
    assert lived.outcome.boundary == "judge"
    assert lived.rewards == []


def test_a_judge_that_hangs_is_left_and_holds_up_no_other_episode():
    def hangs(_):
        time.sleep(2)
        return [Reward("reward", 1.0)]

    async def beside():
        judged = asyncio.create_task(
            run_episode(episode("slow"), World(worth=hangs), harness("done", budget=wide(judge_seconds=0.3)))
        )
        other = await run_episode(episode("other"), World(), harness(show("11"), "done"))
        assert not judged.done()
        return other, await judged

    start = time.monotonic()
    other, judged = play(beside())
    assert isinstance(other.outcome, Scored)
    assert judged.outcome == Invalid("judge", "score() of episode slow takes longer than 0.3 s")
    assert time.monotonic() - start < 1.9


class Stuck(World):
    """Hangs at the door."""

    def __init__(self, *, enters=True, leaves=True):
        super().__init__()
        self.enters, self.leaves = enters, leaves

    async def __aenter__(self):
        await asyncio.sleep(0 if self.enters else 60)
        return await super().__aenter__()

    async def __aexit__(self, *error):
        await asyncio.sleep(0 if self.leaves else 60)
        await super().__aexit__(*error)


def test_an_environment_that_hangs_while_it_opens_is_left_at_the_deadline():
    start = time.monotonic()
    lived = play(run_episode(episode(), Stuck(enters=False), harness("done", budget=wide(seconds=0.3))))
    assert lived.outcome.boundary == "world"
    assert "of task t cannot be opened (it takes longer than budget.seconds)" in lived.outcome.reason
    assert time.monotonic() - start < 20


class Jammed(World):
    async def __aexit__(self, *error):
        raise OSError("busy")


@pytest.mark.parametrize("world", [Stuck(leaves=False), Jammed()])
def test_an_environment_that_does_not_close_is_left_and_counted_and_the_outcome_stands(world, monkeypatch):
    monkeypatch.setattr("trivium.harness.entering.CLOSE_S", 0.2)
    lived = play(run_episode(episode(), world, harness(show("11"), "done")))
    assert lived.outcome == Scored(1.0, "done")
    assert lived.counters["unclosed"] == 1


def test_an_environment_is_told_what_ended_its_episode():
    told = []

    class Told(World):
        async def __aexit__(self, *error):
            told.append(error[0])

    play(run_episode(episode(), Told(), harness("done")))
    play(run_episode(episode(), Told(breaks(OSError())), harness(call("fail", x=1))))
    assert told == [None, ToolError]


def test_an_ended_episode_is_scored_once():
    lived = live(harness(show("11"), "done"))
    again = play(score(lived, World(), 9))
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
        resumed = play(run_episode(halfway, World(Shelf(texts)), acts))
        assert dumps(resumed) == dumps(straight)


def test_a_pause_after_every_turn_changes_nothing():
    acts = harness(show("11"), show("12"), pruned("11"), "done")

    async def piecemeal():
        lived = episode()
        while lived.life in (Life.QUEUED, Life.RUNNING):
            lived = loads(dumps(await step(lived, World(), acts, time.monotonic() + 60)))
        return await score(lived, World(), 9)

    assert dumps(play(piecemeal())) == dumps(live(acts))


def test_seeds_differ_by_turn_and_repeat_by_episode():
    first, second = (live(harness(show("11"), show("12"), "done")) for _ in range(2))
    seeds = [node.sampled.seed for node in first.tree.actions()]
    assert len(set(seeds)) == 3
    assert seeds == [node.sampled.seed for node in second.tree.actions()]


def test_an_environment_is_closed_when_the_task_does_not_fit():
    world = World(prompt="x" * 9000)
    lived = play(run_episode(episode(), world, harness("done", budget=wide(1000))))
    assert lived.outcome.boundary == "world"
    assert "task t: its opening takes " in lived.outcome.reason
    assert world.closed == 1


HALF = "half \ud800 a pair"


def test_halves_of_surrogate_pairs_reach_no_store():
    def torn() -> ToolResult:
        """Torn."""
        return ToolResult(pieces=(Piece(HALF, id="7\udfff", source=HALF),))

    def fails() -> str:
        """Fail."""
        raise ValueError(HALF)

    lived = live(harness(call("torn") + call("fails"), "done"), tool(torn), tool(fails), system=HALF, prompt=HALF)
    assert isinstance(lived.outcome, Scored)
    assert loads(dumps(lived)) == lived
    assert text(lived).count("half \ufffd a pair") == 4
    (part,) = (part for node in lived.tree.nodes for part in node.parts)
    assert (part.id, part.source) == ("7\ufffd", "half \ufffd a pair")


def test_a_failure_is_told_in_text_that_a_store_can_hold():
    lived = live(harness(call("fail", x=1)), breaks(OSError(HALF)))
    assert lived.outcome == Invalid("tool", "tool fail raised OSError: half \ufffd a pair")
    assert loads(dumps(lived)) == lived


@pytest.mark.parametrize("answer", [None, "text", ToolResult(pieces=(Piece(3),)), ToolResult(pieces=("text",))])  # type: ignore[arg-type]
def test_an_answer_that_is_none_is_a_failure_of_the_tool(answer):
    class Odd(Bare):
        async def __call__(self, arguments, context):
            return answer

    lived = live(harness(call("fail")), Odd(None))
    assert lived.outcome.boundary == "tool"
    assert "tool fail gave " in lived.outcome.reason


def test_tools_that_no_store_can_hold_are_refused():
    odd = Bare(None)
    odd.spec = ToolSpec("fail", HALF, {"type": "object"})
    with pytest.raises(ConfigError, match=r"task t: its tools cannot be kept .*; their specs hold text in UTF-8"):
        live(harness("done"), odd)


def test_a_tool_may_answer_with_parts_of_its_own():
    def notes() -> ToolResult:
        """Notes."""
        return ToolResult(pieces=(Piece("a note\n", id="77"),))

    lived = steps(harness(call("notes"), pruned("77")), 2, tool(notes))
    assert "a note" not in text(lived)
