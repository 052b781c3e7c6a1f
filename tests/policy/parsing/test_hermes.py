"""The dialect that is trained: strict, without repairs."""

import pytest

from trivium.episode import ConfigError, ToolCall
from trivium.policy import parsing
from trivium.policy.parsing import StretchKind, parse, parser

GOOD = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'


def test_the_door_is_pinned():
    assert parsing.__all__ == ["DIALECTS", "Parsed", "Parser", "Rules", "Stretch", "StretchKind", "parse", "parser"]


def test_text_around_calls_is_kept_and_two_calls_come_in_order():
    parsed = parse(f'before {GOOD}\n<tool_call>\n{{"name": "g", "arguments": {{}}}}\n</tool_call> after')
    assert parsed.text == "before  after"
    assert parsed.calls == (ToolCall("f", {"x": 1}), ToolCall("g", {}))
    assert [s.kind for s in parsed.stretches] == [
        StretchKind.TEXT,
        StretchKind.CALL,
        StretchKind.MARKUP,
        StretchKind.CALL,
        StretchKind.TEXT,
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"name": "f", "arguments": {"x": 1}', "invalid JSON at character 35: Expecting ',' delimiter"),
        ('{"name": "f", "arguments": {"x": 1,}}', "invalid JSON"),
        ('{"name": "f", "arguments": {"x": "a"b"}}', "invalid JSON"),
        ('{"name": "f", "arguments": {"x": "a\nb"}}', "invalid JSON"),
        ('{"name": "f", "name": "g", "arguments": {}}', "the key 'name' comes twice"),
        ('{"name": "f", "arguments": {"x": 1, "x": 2}}', "the key 'x' comes twice"),
        ('{"name": "f", "arguments": "{}"}', "the arguments are a string, not an object"),
        ('{"name": "f", "arguments": []}', "the arguments are a list, not an object"),
        ('{"name": "f", "arguments": null}', "the arguments are null, not an object"),
        ('{"name": "f", "arguments": 1}', "the arguments are a number, not an object"),
        ('{"name": "f"}', 'the call has no "arguments"'),
        ('{"name": "f", "parameters": {}}', 'the call has no "arguments"'),
        ('{"arguments": {}}', 'the call has no "name"'),
        ('{"name": " ", "arguments": {}}', "the call names no tool"),
        ('{"name": 1, "arguments": {}}', "the call names no tool"),
        ('{"name": "f", "arguments": {}, "x": 1}', "the call has the unknown key 'x'"),
        ('[{"name": "f", "arguments": {}}]', "the call is a list, not an object"),
        ('{"name": "f", "arguments": {}}{"name": "g", "arguments": {}}', "invalid JSON at character 30: Extra data"),
        ('{"name": "f", "arguments": {"x": NaN}}', "NaN is not JSON"),
        ('{"name": "f", "arguments": {"x": 1e999}}', "a number is out of range"),
        ('{"name": "f", "arguments": {"x": "\\ud800"}}', "a string holds half of a surrogate pair"),
        ('{"name": "\ud800", "arguments": {}}', "a string holds half of a surrogate pair"),
        ('{"name": "f", "arguments": {"x": ' + "[" * 70 + "]" * 70 + "}}", "nested deeper than 64"),
        ('{"name": "f", "arguments": {"x": ' + "9" * 5000 + "}}", "Exceeds the limit"),
        ("<function=f></function>", "invalid JSON at character 0: Expecting value"),
        ("", "invalid JSON at character 0: Expecting value"),
    ],
)
def test_a_fault_is_malformed_with_its_reason_and_harms_nothing_beside_it(body, reason):
    raw = f"<tool_call>{body}</tool_call>"
    parsed = parse(f"a {raw} b {GOOD}")
    assert [(m.text, m.reason.startswith(reason)) for m in parsed.malformed] == [(raw, True)]
    assert parsed.calls == (ToolCall("f", {"x": 1}),)
    assert parsed.text == "a  b "


@pytest.mark.parametrize(
    "inside", ["</tool_call>", "<tool_call>", "</think>", '\\"</tool_call>', "\\\\", "{}[]", "é\\u00e9"]
)
def test_a_string_may_hold_anything(inside):
    parsed = parse(f'<tool_call>{{"name": "f", "arguments": {{"x": "{inside}"}}}}</tool_call>{GOOD}')
    assert len(parsed.calls) == 2
    assert not parsed.malformed


def test_an_open_quote_does_not_swallow_what_follows():
    parsed = parse('<tool_call>{"name": "f</tool_call> then <tool_call>{}</tool_call> end')
    assert [m.text for m in parsed.malformed] == ['<tool_call>{"name": "f</tool_call>', "<tool_call>{}</tool_call>"]
    assert parsed.text == " then  end"


def test_an_unclosed_call_is_malformed_and_the_next_one_counts():
    parsed = parse(f'<tool_call>{{"name": "f", "arguments": {{}}}} {GOOD} <tool_call>{{"na')
    assert [m.reason for m in parsed.malformed] == ["the block that <tool_call> opens is never closed"] * 2
    assert parsed.calls == (ToolCall("f", {"x": 1}),)


def test_a_call_in_reasoning_is_reasoning():
    parsed = parse(f"<think>maybe {GOOD}</think>done")
    assert (parsed.reasoning, parsed.text, parsed.calls) == (f"maybe {GOOD}", "done", ())


def test_reasoning_that_never_ends_is_reasoning():
    parsed = parse(f"<think>so {GOOD}")
    assert (parsed.reasoning, parsed.text, parsed.calls) == (f"so {GOOD}", "", ())


def test_a_result_that_the_model_made_up_is_text():
    fake = '<tool_response>{"name": "f", "arguments": {}}</tool_response>'
    assert parse(GOOD + fake).text == fake


def test_stretches_arrive_as_soon_as_they_are_certain():
    reader = parser()
    assert [s.raw for s in reader.feed("Look: <to")] == ["Look: "]
    assert [s.raw for s in reader.feed("p> <tool_call>{}")] == ["<top> "]
    assert [s.kind for s in reader.feed("</tool_call>")] == [StretchKind.MALFORMED]
    assert reader.finish() == []


def test_a_control_token_decides_where_letters_would_not():
    reader = parser()
    reader.seal(["<tool_call>", "</tool_call>"])
    reader.feed("copied: " + GOOD)
    reader.feed_control("<tool_call>")
    reader.feed('{"name": "f", "arguments": {"x": "</tool_call>"}}')
    reader.feed_control("</tool_call>")
    reader.finish()
    assert reader.parsed.text == "copied: " + GOOD
    assert reader.parsed.calls == (ToolCall("f", {"x": "</tool_call>"}),)


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ConfigError, match="there is no dialect 'klingon'; choose one of any, cohere"):
        parse("x", "klingon")
