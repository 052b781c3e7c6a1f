"""gpt-oss: letter by letter after OpenAI's description, and against its own encoder where its vocabulary lies."""

import os
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.episode import ConfigError, Context, Draft, Kind, Message, Piece, ToolCall, ToolSpec, Tree, say
from trivium.harness import prune
from trivium.policy.rendering import Codec, Harmony
from trivium.policy.rendering.harmony import IDENTITY
from trivium.policy.rendering.typescript import namespace

from .conversations import letters, nfc_stable, text
from .families import codec
from .tokenizer import tokenizer

WEATHER = ToolSpec(
    "get_current_weather",
    "Gets the current weather in the provided location.",
    {
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "format": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        "required": ["location"],
    },
)
CALL = ToolCall("get_current_weather", {"location": "Tokyo"})


@cache
def ours() -> Harmony:
    return Harmony(codec("gpt-oss"))


def spelled(rendered: Any) -> str:
    return ours().decode([token for one in rendered for token in one.tokens])


def test_the_format_letter_by_letter():
    r = ours()
    opening = r.opening(
        [Message(role="system", pieces=(Piece("Use tools."),), tools=(WEATHER,)), say("user", "Tokyo?")]
    )
    act = Message(role="assistant", reasoning="Ask.", calls=(CALL,))
    rest = r.messages([act, say("tool", "20 C"), say("assistant", "Warm.")], closes=False)
    assert spelled([opening, *rest]) == (
        f"<|start|>system<|message|>{IDENTITY}\n\nReasoning: medium\n\n"
        "# Valid channels: analysis, commentary, final. Channel must be included for every message.\n"
        "Calls to these tools must go to the commentary channel: 'functions'.<|end|>"
        "<|start|>developer<|message|># Instructions\n\nUse tools.\n\n# Tools\n\n## functions\n\n"
        "namespace functions {\n\n// Gets the current weather in the provided location.\n"
        "type get_current_weather = (_: {\n// The city and state, e.g. San Francisco, CA\nlocation: string,\n"
        'format?: "celsius" | "fahrenheit", // default: celsius\n}) => any;\n\n} // namespace functions<|end|>'
        "<|start|>user<|message|>Tokyo?<|end|>"
        "<|start|>assistant<|channel|>analysis<|message|>Ask.<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.get_current_weather <|constrain|>json<|message|>"
        '{"location": "Tokyo"}<|call|>'
        "<|start|>functions.get_current_weather to=assistant<|channel|>commentary<|message|>20 C<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Warm.<|return|>"
    )
    assert r.decode(r.lead()) == "<|start|>assistant"


acts = st.builds(
    lambda said, thought, queries: Message(
        role="assistant",
        pieces=(Piece(said),) if said else (),
        reasoning=thought,
        calls=tuple(ToolCall("find", {"query": query}) for query in queries),
    ),
    text,
    text,
    st.lists(text, max_size=1),
)


@settings(max_examples=60, deadline=None)
@given(acts)
def test_what_is_written_is_read_again(message):
    r = ours()
    if not nfc_stable(message):
        return
    (written,) = r.messages([message], closes=False)
    assert written.tokens[: len(r.lead())] == r.lead()
    assert written.tokens[-1] in r.stop_ids
    parsed = r.parse(written.tokens[len(r.lead()) :])
    assert (parsed.calls, parsed.malformed) == (message.calls, ())
    assert parsed.reasoning.strip() == message.reasoning.strip()
    assert parsed.text.strip() == message.text.strip()


def test_a_recipient_in_the_role_section_is_read_too_and_text_without_a_header_is_text():
    r = ours()
    ids = {name: r.codec.control(f"<|{name}|>") for name in ("channel", "constrain", "message", "call")}
    head = [*r.encode_text(" to=functions.find"), ids["channel"], *r.encode_text("commentary "), ids["constrain"]]
    tokens = [*head, *r.encode_text("json"), ids["message"], *r.encode_text('{"query": "x"}'), ids["call"]]
    assert r.parse(tokens).calls == (ToolCall("find", {"query": "x"}),)
    assert r.parse(r.encode_text("just words")).text == "just words"
    assert spelled([r.message(say("tool", "a"), closes=False, after=tokens)]).startswith("<|start|>functions.find to=")


def test_results_of_several_and_of_malformed_calls_carry_their_names():
    r = ours()
    one, two = (called(name)[: None if name == "two" else -1] for name in ("one", "two"))
    broken = [token for token in one if token not in r.codec.encode("{}")]
    after = [*broken, r.codec.control("<|end|>"), *r.lead(), *two]  # a model may go on after a call
    first, second = r.messages([say("tool", "b"), say("tool", "a")], closes=False, after=after)
    assert "functions.two to=" in r.decode(first.tokens)  # malformed calls are answered last
    assert "functions.one to=" in r.decode(second.tokens)


def called(name: str) -> tuple[int, ...]:
    """A call as it is sampled."""
    return (
        ours()
        .message(Message(role="assistant", calls=(ToolCall(name, {}),)), closes=False)
        .tokens[len(ours().lead()) :]
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(Piece, text, st.none() | st.sampled_from("123")), max_size=5), st.sampled_from("123"))
def test_a_pruned_context_is_the_pruned_conversation_rendered_afresh(pieces, gone):
    r = ours()

    def context(shown: list[Piece]) -> Context:
        message = Message(role="tool", pieces=tuple(shown))
        rendered = r.message(message, closes=False)
        opening = Draft(kind=Kind.USER, tokens=r.opening([say("user", "u")]).tokens)
        result = Draft(kind=Kind.OBSERVATION, tokens=rendered.tokens, parts=rendered.parts, message=message)
        return Context(Tree()).append(opening).append(result)

    pruned = context(pieces).edit(prune(frozenset({gone})))
    assert pruned.tokens == context([piece for piece in pieces if piece.id != gone]).tokens


def test_control_literals_stay_text_and_wrong_use_is_said():
    r = ours()
    evil = "".join(r.codec.controls)

    def seen(said: str) -> list[int]:
        tool = ToolSpec(said, said, {"type": "object", "properties": {said: {"description": said}}})
        act = Message(role="assistant", reasoning=said, pieces=(Piece(said),), calls=(ToolCall(said, {said: said}),))
        first = r.opening([Message(role="system", pieces=(Piece(said),), tools=(tool,)), say("user", said)])
        rest = r.messages([act, say("tool", said)], closes=True)
        return [t for one in (first, *rest) for t in one.tokens if t in r.codec.literals]

    assert seen(evil) == seen("x")
    with pytest.raises(ConfigError, match="stops at its first call"):
        r.message(Message(role="assistant", calls=(CALL, CALL)), closes=False)
    with pytest.raises(ConfigError, match="tools in the first message only"):
        r.message(Message(role="system", tools=(WEATHER,)), closes=False)
    with pytest.raises(ConfigError, match=r"has no control token <\|start\|>"):
        Harmony(Codec(tokenizer()))


@pytest.fixture(scope="module")
def encoder() -> Any:
    harmony = pytest.importorskip("openai_harmony", reason="the extra `qwen` is not installed")
    if "TIKTOKEN_ENCODINGS_BASE" not in os.environ:
        pytest.skip("no vocabulary of gpt-oss: set TIKTOKEN_ENCODINGS_BASE to a folder with o200k_base.tiktoken")
    return harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)


words = st.text(letters.filter(str.isprintable), min_size=1, max_size=8).filter(str.strip)
kinds = st.sampled_from(["string", "number", "integer", "boolean", "array", "x"]).map(lambda kind: {"type": kind})
leaves = kinds | st.builds(lambda choices: {"type": "string", "enum": choices}, st.lists(words, min_size=1, max_size=2))
described = st.builds(lambda leaf, said: {**leaf, "description": said}, leaves, words)
defaulted = st.builds(lambda leaf, value: {**leaf, "default": value}, leaves, words | st.integers() | st.booleans())
schemas = st.recursive(
    leaves | described | defaulted,
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(lambda known: {"type": "object", "properties": known}, st.dictionaries(words, inner, max_size=2))
    ),
    max_leaves=4,
)
specs = st.builds(
    lambda name, said, known, needed: ToolSpec(
        name, said, {"type": "object", "properties": known, "required": [key for key in known if needed]}
    ),
    words,
    st.lists(words, max_size=2).map("\n".join),
    st.dictionaries(words, schemas, max_size=3),
    st.booleans(),
)


@settings(max_examples=100, deadline=None)
@given(tools=st.lists(specs, max_size=2), said=words, asked=text, result=text)
def test_what_is_not_sampled_is_what_openai_s_encoder_writes(encoder, tools, said, asked, result):
    import openai_harmony as h

    r = ours()
    ours_ = spelled(
        [
            r.opening([Message(role="system", pieces=(Piece(said),), tools=tuple(tools)), say("user", asked)]),
            r.message(say("tool", result), closes=False),
        ]
    )
    described = [h.ToolDescription.new(t.name, t.description, parameters=t.parameters) for t in tools]
    developer = h.DeveloperContent.new().with_instructions(said)
    told = h.Conversation.from_messages(
        [
            h.Message.from_role_and_content(h.Role.SYSTEM, h.SystemContent.new()),
            h.Message.from_role_and_content(
                h.Role.DEVELOPER, developer.with_function_tools(described) if tools else developer
            ),
            h.Message.from_role_and_content(h.Role.USER, asked),
            h.Message.from_author_and_content(h.Author.new(h.Role.TOOL, "functions.unknown"), result)
            .with_recipient("assistant")
            .with_channel("commentary"),
        ]
    )
    theirs = encoder.decode(encoder.render_conversation(told))
    assert r.codec.decode(r.codec.encode(theirs)) == r.codec.decode(r.codec.encode(ours_))


@settings(max_examples=50, deadline=None)
@given(message=acts)
def test_what_is_canned_is_read_by_openai_s_own_parser(encoder, message):
    import openai_harmony as h

    written = spelled(ours().messages([message], closes=False)).removeprefix("<|start|>assistant")
    read = encoder.parse_messages_from_completion_tokens(
        encoder.encode(written, allowed_special="all"), h.Role.ASSISTANT
    )
    called = [(one.recipient, one.channel) for one in read if one.recipient]
    assert called == [(f"functions.{call.name}", "commentary") for call in message.calls]
    assert all(one.channel for one in read)


def test_a_schema_that_says_nothing_is_any():
    assert "type f = (_: any) => any;" in namespace([ToolSpec("f", "", {})])
