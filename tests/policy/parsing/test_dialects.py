"""Models of others: each dialect reads its own form, and repairs only when it says so."""

import pytest

from trivium.episode import ToolCall, ToolSpec
from trivium.policy.parsing import parse

F = ToolCall("f", {"x": 1, "y": "a b"})
G = ToolCall("g", {})
TWO = (F, G)
FORMS = {
    "hermes": '<tool_call>{"name": "f", "arguments": {"x": 1, "y": "a b"}}</tool_call>'
    '<tool_call>{"name": "g", "arguments": {}}</tool_call>',
    "json": '```json\n[{"name": "f", "arguments": {"x": 1, "y": "a b"}}]\n``` {"name": "g", "arguments": {}}',
    "qwen3coder": "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n<parameter=y>\na b\n</parameter>\n"
    "</function>\n</tool_call><tool_call><function=g></function></tool_call>",
    "glm": "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n<arg_key>y</arg_key>"
    "<arg_value>a b</arg_value></tool_call><tool_call>g\n</tool_call>",
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
    '{"x": 1, "y": "a b"}<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}'
    "<|tool_call_end|><|tool_calls_section_end|>",
    "llama3": '<|python_tag|>{"name": "f", "parameters": {"x": 1, "y": "a b"}}; '
    '{"name": "g", "parameters": {}}<|eom_id|>',
    "cohere": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"x": 1, "y": "a b"}},'
    '{"tool_name": "g", "parameters": {}}]<|END_ACTION|>',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n"
    '{"x": 1, "y": "a b"}\n```<｜tool▁call▁end｜>'
    "<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
    "<｜tool▁calls▁end｜>",
    "mistral": '[TOOL_CALLS] [{"name": "f", "arguments": {"x": 1, "y": "a b"}}][TOOL_CALLS]g[ARGS]{}',
    "minimax": '<minimax:tool_call>\n<invoke name="f">\n<parameter name="x">1</parameter>\n<parameter name="y">a b'
    '</parameter>\n</invoke>\n<invoke name="g">\n</invoke>\n</minimax:tool_call>',
    "step3": "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
    '<steptml:invoke name="f">\n<steptml:parameter name="x">1</steptml:parameter>\n'
    '<steptml:parameter name="y">a b</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n'
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="g">\n</steptml:invoke>'
    "<｜tool_call_end｜>\n<｜tool_calls_end｜>",
    "pythonic": "[f(x=1, y='a b'), g()]",
    "harmony": "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.f "
    '<|constrain|>json<|message|>{"x": 1, "y": "a b"}<|call|><|start|>assistant to=functions.g<|channel|>commentary'
    "<|message|>{}<|call|>",
}
DSML = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n'
    '<｜DSML｜parameter name="x" string="false">1</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="y" string="true">a b</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    '<｜DSML｜invoke name="g">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
)


@pytest.mark.parametrize(("dialect", "reply"), [*FORMS.items(), ("deepseek", DSML)])
def test_each_dialect_reads_its_own_form_without_repairs(dialect, reply):
    parsed = parse(f"first {reply}", dialect)
    assert parsed.calls == TWO
    assert not parsed.malformed
    assert parsed.text.rstrip() == "first"


@pytest.mark.parametrize("dialect", sorted(FORMS.keys() - {"harmony", "glm"}))
def test_any_reads_them_all(dialect):
    assert parse(FORMS[dialect], "any", lenient=True).calls == TWO


def test_any_reads_glm_where_it_has_pairs():
    assert parse(FORMS["glm"], "any", lenient=True).calls == (F,)


@pytest.mark.parametrize(
    ("body", "repair"),
    [
        ('{"name": "f", "arguments": {"x": 1, "y": "a b",}}', "left out a comma before a closing bracket"),
        ('{"name": "f", "arguments": "{\\"x\\": 1, \\"y\\": \\"a b\\"}"}', "read arguments that were a string of JSON"),
        ('{"tool_name": "f", "arguments": {"x": 1, "y": "a b"}}', "read 'tool_name' as 'name'"),
        ('{"name": "f", "parameters": {"x": 1, "y": "a b"}}', "read 'parameters' as 'arguments'"),
        ("{'name': 'f', 'arguments': {'x': 1, 'y': 'a b'}}", "read single quotes as double"),
        ('{name: "f", arguments: {x: 1, y: "a b"}}', "quoted a bare key"),
        ('{"name": "f", /* why */ "arguments": {"x": 1, "y": "a b"}}', "left out a comment"),
        ('```json\n{"name": "f", "arguments": {"x": 1, "y": "a b"}}\n```', "took off a fence"),
        ('{"name": "f", "arguments": {"x": 1, "y": "a b"}, "thought": 1}', "left out the key 'thought'"),
        ('{"type": "function", "function": {"name": "f", "arguments": {"x": 1, "y": "a b"}}}', "unwrapped 'function'"),
    ],
)
def test_a_repair_is_named_and_strict_makes_none(body, repair):
    reply = f"<tool_call>{body}</tool_call>"
    (stretch,) = parse(reply, lenient=True).stretches
    assert stretch.calls == (F,)
    assert stretch.repairs == (repair,)
    assert parse(reply).malformed


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call>{"name": "f", "arguments": {"x": 1, "x": 2}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {"x": "a"b"}}</tool_call>',
        '<tool_call>{"name": "f", "arguments": {"x": 1}',
        '<tool_call>{"name": "f", "arguments": []}</tool_call>',
        "<tool_call><function=f><parameter=x>1</parameter></tool_call>",
        "<tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value>",
        "<tool_call>some prose",
        "<tool_call>[]</tool_call>",
    ],
)
def test_what_could_mean_two_things_is_never_repaired(reply):
    parsed = parse(reply, lenient=True)
    assert parsed.malformed
    assert not parsed.calls


def test_json_in_prose_is_text():
    for text in (
        '{"name": "Ada", "age": 36}',
        "[1, 2]",
        "[see (a)]",
        "{x}",
        '```python\nf({"a": 1})\n```',
        "{ {",
        '[{"a": 1}]',
    ):
        assert parse(text, "any", lenient=True).text == text


def test_a_tool_that_is_defined_is_not_a_call():
    text = '{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}'
    assert parse(text, "json", lenient=True).text == text


def test_a_schema_decides_the_type_of_a_bare_parameter():
    tool = ToolSpec("f", "", {"type": "object", "properties": {"x": {"type": "string"}}})
    reply = "<function=f><parameter=x>1</parameter><parameter=y>1</parameter></function>"
    assert parse(reply, "qwen3coder", tools=[tool]).calls == (ToolCall("f", {"x": "1", "y": 1}),)


def test_gpt_oss_may_call_from_its_reasoning_and_a_foreign_author_is_text():
    reply = (
        '<|channel|>analysis to=functions.f<|message|>{"x": 1, "y": "a b"}<|call|>'
        '<|start|>functions.f to=assistant<|channel|>commentary<|message|>{"fake": 1}<|end|>'
    )
    parsed = parse(reply, "harmony")
    assert parsed.calls == (F,)
    assert '{"fake": 1}' in parsed.text
