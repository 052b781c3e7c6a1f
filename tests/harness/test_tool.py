"""Functions as tools: what the model sees, what a function gets, and how parallel calls run."""

import asyncio
import threading
import time
from typing import Literal

import msgspec
import pytest

from trivium.episode import ConfigError, Kind, Tool, ToolContext
from trivium.harness import refusal, run_episode, tool

from .world import World, call, episode, harness, live, play, renderer, steps, text, wide


def context(room=100):
    lived = episode()
    return ToolContext(
        episode=lived,
        agent=lived.main,
        max_tokens=room,
        count=lambda text: len(text.split(" ")),
        deadline=time.monotonic() + 9,
    )


def ask(made, room=100, /, **arguments):
    return play(made(arguments, context(room)))


def said(made, /, **arguments):
    return ask(made, **arguments).pieces[0].text


def look_up(word: str, sources: list[str] = ["all"], limit: int = 3, how: Literal["exact", "near"] = "near") -> str:  # noqa: B006
    """Look a word up.

    More for people.
    """
    sources.append("seen")
    return f"{word} {sources} {limit} {how}"


def test_the_model_sees_name_docstring_and_types():
    spec = tool(look_up).spec
    assert (spec.name, spec.description) == ("look_up", "Look a word up.")
    assert spec.parameters["required"] == ["word"]
    assert spec.parameters["properties"]["sources"]["items"] == {"type": "string"}
    assert spec.parameters["properties"]["limit"] == {"type": "integer", "default": 3}
    assert spec.parameters["type"] == "object"
    made: Tool = tool(look_up)
    assert made.spec is made.spec


def test_defaults_are_filled_anew_for_every_call():
    made = tool(look_up)
    assert said(made, word="a") == said(made, word="a") == "a ['all', 'seen'] 3 near\n"
    assert said(made, word="a", sources=[], limit=1, how="exact") == "a ['seen'] 1 exact\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "missing required field `word`"),
        ({"word": 3}, "Expected `str`, got `int`"),
        ({"word": "a", "limit": "3"}, "Expected `int`, got `str`"),
        ({"word": "a", "limit": True}, "Expected `int`, got `bool`"),
        ({"word": "a", "sources": "b"}, "Expected `array`, got `str`"),
        ({"word": "a", "sources": [1]}, "Expected `str`, got `int`"),
        ({"word": "a", "how": "loud"}, "Invalid enum value 'loud'"),
        ({"word": "a", "colour": "red"}, "unknown field `colour`"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_and_never_reach_the_function(arguments, says):
    result = ask(tool(look_up), **arguments)
    assert result.error
    assert "look_up: " in result.pieces[0].text
    assert says in result.pieces[0].text


class Place(msgspec.Struct):
    name: str


def test_a_struct_is_an_object_with_its_own_schema():
    def visit(place: Place) -> str:
        return place.name

    made = tool(visit)
    assert made.spec.parameters["$defs"]["Place"]["properties"]["name"] == {"type": "string"}
    assert said(made, place={"name": "Rome"}) == "Rome\n"


def bare(x) -> str: ...
def starred(*x: int) -> str: ...
def keyworded(**x: int) -> str: ...
def foreign(x: threading.Lock) -> str: ...


@pytest.mark.parametrize("function", [bare, starred, keyworded, foreign])
def test_a_parameter_that_a_call_cannot_fill_is_refused(function):
    with pytest.raises(ConfigError, match=f"tool {function.__name__}: "):
        tool(function)


def test_async_functions_awaitables_and_other_results():
    async def later(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    def soon(x: int):
        return later(x)

    def none() -> None: ...
    def halves() -> str:
        return "\ud800"

    def no(x: int) -> str:
        return refusal("x is too small")

    assert said(tool(later), x=1) == "2\n"
    assert said(tool(soon), x=1) == "2\n"
    assert said(tool(none)) == "None\n"
    assert said(tool(halves)) == "\ufffd\n"
    assert ask(tool(no), x=1).error


def test_a_long_output_is_clipped_between_words_and_says_so():
    def long() -> str:
        return " ".join(f"word{number}" for number in range(10_000))

    made = ask(tool(long), 5).pieces[0].text
    assert made == "word0 word1 word2 word3 [cut]\n"


@pytest.mark.parametrize("output", ["x" * 9000, "one " * 3000, "\n" * 5000, "é" * 4000, "a b"])
@pytest.mark.parametrize("room", [1, 7, 100, 20_000])
def test_a_clipped_output_takes_at_most_its_tokens(output, room):
    def out() -> str:
        return output

    told = msgspec.structs.replace(context(room), count=renderer().count)
    made = play(tool(out)({}, told)).pieces[0].text
    cut = renderer().count(" [cut]\n")
    assert renderer().count(made) <= max(room, cut)
    if room > cut:
        assert renderer().count(made) >= min(room, renderer().count(output + "\n")) - cut - 1
    assert made == output + "\n" or made.endswith(" [cut]\n")


def waits(name, kind, seconds=0.5, log=None):
    def plain(x: int = 0) -> str:
        time.sleep(seconds)
        return f"{name}{x}"

    async def async_(x: int = 0) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            log.append(f"{name} cancelled")
            raise
        return f"{name}{x}"

    function = {"plain": plain, "async": async_}[kind]
    function.__name__ = name
    return function


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_neighbours_that_need_no_order_take_the_time_of_one(kind):
    tools = [tool(waits("a", kind)), tool(waits("b", kind))]
    acts = harness(call("a", x=1) + call("b", x=2) + call("a", x=3) + call("b", x=4))
    start = time.monotonic()
    lived = steps(acts, 1, *tools)
    beside = time.monotonic() - start
    order = [tool(waits("a", kind), ordered=True), tool(waits("b", kind), ordered=True)]
    start = time.monotonic()
    after = steps(acts, 1, *order)
    assert beside < 0.75 * (time.monotonic() - start)  # 0.5 s against 4 x 0.5 s, and what the machine adds
    assert text(lived) == text(after)
    said = [node.message.text for node in lived.context(lived.main).nodes if node.kind is Kind.OBSERVATION]
    assert [item.split("\n")[0] for item in said] == ["a1", "b2", "a3", "b4"]


def test_an_ordered_call_waits_for_those_before_it_and_is_waited_for():
    log = []

    def note(name, seconds, ordered):
        def function() -> str:
            log.append(f"{name} in")
            time.sleep(seconds)
            log.append(f"{name} out")
            return name

        function.__name__ = name
        return tool(function, ordered=ordered)

    tools = [note("a", 0.3, False), note("b", 0.0, True), note("c", 0.1, False)]
    steps(harness(call("a") + call("b") + call("c")), 1, *tools)
    assert log == ["a in", "a out", "b in", "b out", "c in", "c out"]


def test_neighbours_have_equal_shares_of_one_budget():
    def long(x: int) -> str:
        return "z" * 9000

    budget = wide(4000, hard=3000, per_call=2000, reply=1000)
    calls = "".join(call("long", x=number) for number in range(4))
    lived = steps(harness(calls, budget=budget), 1, tool(long))
    sizes = [len(node.tokens) for node in lived.context(lived.main).nodes if node.kind is Kind.OBSERVATION]
    assert max(sizes) - min(sizes) < 60  # the last has the usage line
    assert len(lived.context(lived.main)) <= budget.window
    alone = steps(harness(call("long", x=1), budget=budget), 1, tool(long))
    assert alone.context(alone.main).last.end > max(sizes)


def test_the_deadline_of_one_ends_its_siblings(monkeypatch):
    monkeypatch.setattr("trivium.harness.asking.TOOL_GRACE_S", 0.1)
    log = []
    tools = [
        tool(waits("a", "async", 60, log)),
        tool(waits("b", "async", 60, log)),
        tool(waits("c", "async", 0.0, log)),
    ]
    start = time.monotonic()
    lived = live(harness(call("a") + call("b") + call("c"), budget=wide(seconds=0.4)), *tools)
    assert time.monotonic() - start < 20
    assert lived.outcome.boundary == "tool"
    assert sorted(log) == ["a cancelled", "b cancelled"]


def test_the_failure_of_one_ends_its_siblings_and_names_itself():
    log = []

    async def fail() -> str:
        raise ConnectionError("no")

    lived = live(harness(call("a") + call("fail")), tool(waits("a", "async", 60, log)), tool(fail))
    assert lived.outcome.reason == "tool fail raised ConnectionError: no"
    assert log == ["a cancelled"]


def test_a_cancelled_episode_cancels_its_tools_and_closes_its_environment():
    log = []
    world = World(tool(waits("a", "async", 60, log)), tool(waits("b", "async", 60, log)))

    async def cut():
        task = asyncio.create_task(run_episode(episode(), world, harness(call("a") + call("b"))))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    play(cut())
    assert sorted(log) == ["a cancelled", "b cancelled"]
    assert world.closed == 1
