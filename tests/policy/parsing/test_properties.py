"""What holds for every reply, in every dialect, however it arrives."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.episode import ToolCall
from trivium.policy.parsing import DIALECTS, Parsed, Stretch, StretchKind, parse, parser

from .strategies import arguments, cut, dialects, names, replies


def fed(pieces: list[str], dialect: str, lenient: bool) -> tuple[Parsed, list[Stretch]]:
    reader = parser(dialect, lenient=lenient)
    events = [event for piece in pieces for event in reader.feed(piece)]
    events += reader.finish()
    return reader.parsed, events


@settings(max_examples=200, deadline=None)
@given(st.data(), replies, dialects, st.booleans())
def test_the_account_does_not_depend_on_the_cut(data, reply, dialect, lenient):
    whole = parse(reply, dialect, lenient=lenient)
    assert fed(data.draw(cut(reply)), dialect, lenient)[0] == whole
    assert fed(list(reply), dialect, lenient)[0] == whole


@settings(max_examples=200, deadline=None)
@given(replies, dialects, st.booleans())
def test_every_letter_is_in_one_stretch(reply, dialect, lenient):
    parsed, events = fed(list(reply), dialect, lenient)
    assert "".join(stretch.raw for stretch in parsed.stretches) == reply
    assert "".join(event.raw for event in events) == reply
    assert parsed.calls == tuple(call for event in events for call in event.calls)
    assert parsed.text == "".join(s.raw for s in parsed.stretches if s.kind is StretchKind.TEXT)


@settings(max_examples=200, deadline=None)
@given(replies, dialects, st.booleans())
def test_a_call_is_whole_and_a_fault_has_a_reason(reply, dialect, lenient):
    parsed = parse(reply, dialect, lenient=lenient)
    for stretch in parsed.stretches:
        assert bool(stretch.calls) == (stretch.kind is StretchKind.CALL)
        assert bool(stretch.reason) == (stretch.kind is StretchKind.MALFORMED)
        assert lenient or not stretch.repairs
    for call in parsed.calls:
        assert isinstance(call.arguments, dict)
        assert call.name.strip()
        json.dumps(call.arguments, allow_nan=False, ensure_ascii=False).encode()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.builds(ToolCall, names, arguments), max_size=3), st.sampled_from([None, 2]))
def test_what_is_written_is_read_back(calls, indent):
    bodies = [json.dumps({"name": c.name, "arguments": c.arguments}, ensure_ascii=False, indent=indent) for c in calls]
    parsed = parse("".join(f"<tool_call>{body}</tool_call>" for body in bodies))
    assert parsed.calls == tuple(calls)
    assert not parsed.malformed


@settings(deadline=None)
@given(st.text())
def test_text_without_markers_is_text(text):
    reply = text.replace("<", "(")
    assert parse(reply).text == reply


HOSTILE = {
    "hermes": [
        '<tool_call>{"',
        '<tool_call>{\\"</tool_call>',
        "<",
        '<tool_call>{"a</tool_call>',
        "<think>",
        "<tool_call>x",
    ],
    "any": ["{", '{"', "[a", "[[", "```", "[TOOL_CALLS]", '```{"', "<|python_tag|>{},", "/*", "{'", "[f("],
    "harmony": ["<|channel|>", "<|channel|>x", "<|channel|>to=f<|message|>{"],
    "qwen3coder": ["<function=f><parameter=x>", "<function=f>", "</parameter>"],
    "deepseek": ["<｜DSML｜invoke", "<｜tool▁call▁begin｜>```json\n"],
}


@pytest.mark.parametrize("dialect", sorted(HOSTILE))
def test_hostile_replies_take_linear_time(dialect):
    for fragment in HOSTILE[dialect]:
        for prefix in ("", "<tool_call>{"):
            short, long = (
                min(_seconds((prefix + fragment * size)[:size], dialect) for _ in range(2)) for size in (1_500, 12_000)
            )
            assert long < 8 * 3 * short + 0.1, (prefix, fragment, short, long)


def _seconds(reply: str, dialect: str) -> float:
    start = time.process_time()
    fed(list(reply), dialect, lenient=True)
    return time.process_time() - start


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("depth", [70, 5_000])
def test_a_deep_nest_is_malformed_and_never_a_crash(dialect, depth):
    for nest in ("[" * depth, "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for opening in (
            "<tool_call>",
            '<tool_call>{"name": "f", "arguments": ',
            "[TOOL_CALLS]",
            "[f(a=",
            "<|python_tag|>",
        ):
            assert not parse(opening + nest, dialect, lenient=True).calls
            assert not parse(opening + nest + "</tool_call>", dialect).calls


@pytest.mark.parametrize(
    "reply", ["<tool_call>" + "[" * 200_000 + "]" * 200_000, "[f(a=" + "[" * 200_000 + "]" * 200_000]
)
def test_a_very_deep_nest_is_no_crash_either(reply):
    assert not parse(reply, "any", lenient=True).calls
