"""Messages in the form that the package `renderers` takes, with a placeholder for every text."""

import json
from typing import Any

import msgspec

from trivium.episode import Message, Piece, ToolSpec

from .chatml import arguments_text
from .placeholder_tokenizer import PlaceholderTokenizer


def plain(message: Message, placeholders: PlaceholderTokenizer) -> dict[str, str]:
    """A message of text: system, user or tool."""
    return {"role": message.role, "content": placeholders.place(*message.pieces)}


def assistant(message: Message, placeholders: PlaceholderTokenizer) -> dict[str, Any]:
    """A canned assistant message; malformed calls are part of its text."""
    pieces = [*message.pieces, *(Piece(malformed.text) for malformed in message.malformed)]
    if message.reasoning and pieces:
        pieces[0] = msgspec.structs.replace(pieces[0], text=pieces[0].text.lstrip("\n"))
    calls = [
        {"name": placeholders.place(Piece(call.name)), "arguments": placeholders.place(Piece(arguments_text(call)))}
        for call in message.calls
    ]
    reasoning = message.reasoning.strip("\n")
    told = {"role": "assistant", "content": placeholders.place(*pieces), "tool_calls": calls}
    return {**told, "reasoning_content": placeholders.place(Piece(reasoning))} if message.reasoning else told


def tool_json(spec: ToolSpec) -> str:
    """A tool as Qwen3's template prints it."""
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return json.dumps({"type": "function", "function": function}, ensure_ascii=False)
