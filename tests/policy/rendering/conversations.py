"""Conversations as a property test draws them, and the same in the form of the OpenAI API."""

import unicodedata
from typing import Any

from hypothesis import strategies as st

from trivium.episode import Message, Piece, ToolCall, ToolSpec

letters = st.characters(exclude_categories=["Cs"], exclude_characters="<")  # no control literal: those differ by design
text = st.text(letters | st.sampled_from("\n \t{}\"'"), max_size=16)
word = st.text(letters, min_size=1, max_size=6).filter(str.strip)
schemas = st.recursive(
    st.sampled_from(
        [{"type": kind} for kind in ("string", "number", "integer", "boolean", "object", "null", "x")] + [{}]
    ),
    lambda inner: st.builds(lambda items: {"type": "array", "items": items}, inner),
    max_leaves=3,
)


@st.composite
def tools(draw: st.DrawFn) -> ToolSpec:
    properties = draw(st.dictionaries(word, schemas, max_size=3))
    required = [key for key in properties if draw(st.booleans())]
    return ToolSpec(draw(word), draw(text), {"type": "object", "properties": properties, "required": required})


values = st.none() | st.booleans() | st.integers() | text | st.lists(text, max_size=2)
calls = st.builds(ToolCall, word, st.dictionaries(text, values, max_size=3))


def written(role: str) -> st.SearchStrategy[Message]:
    return st.builds(lambda said: Message(role=role, pieces=(Piece(said),)), text)


def acted(reasoning: bool = True, text: st.SearchStrategy[str] = text) -> st.SearchStrategy[Message]:
    return st.builds(
        lambda said, thought, called: Message(
            role="assistant", pieces=(Piece(said),) if said else (), reasoning=thought, calls=tuple(called)
        ),
        text,
        text if reasoning else st.just(""),
        st.lists(calls, max_size=2),
    )


@st.composite
def conversations(draw: st.DrawFn, reasoning: bool = True) -> list[Message]:
    system = Message(role="system", pieces=(Piece(draw(text)),), tools=tuple(draw(st.lists(tools(), max_size=2))))
    body = draw(st.lists(written("user") | written("tool") | acted(reasoning, text.map(str.lstrip)), max_size=4))
    return [system, draw(written("user")), *body]


def nfc_stable(message: Message) -> bool:
    """Whether a tokenizer that normalises leaves all its text as it is."""
    said = (message.text, message.reasoning, *map(str, message.calls))
    return all(unicodedata.normalize("NFC", one) == one for one in said)


def api(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.reasoning:
        told["reasoning_content"] = message.reasoning
    if message.calls:
        told["tool_calls"] = [
            {"type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in message.calls
        ]
    return told


def api_tools(message: Message) -> list[dict[str, Any]] | None:
    specs = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in message.tools
    ]
    return specs or None
