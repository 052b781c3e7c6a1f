"""Messages in the form that the package `renderers` takes, with a placeholder for every text."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from trivium.episode import ConfigError, Message, Piece, ToolSpec

from .chatml import arguments_text
from .family import Family
from .placeholder_tokenizer import PlaceholderTokenizer
from .signatures import signatures


def plain(message: Message, placeholders: PlaceholderTokenizer, family: Family, label: str = "") -> dict[str, str]:
    """A message of text: system, user or tool. `label` names the call that a tool's result answers."""
    pieces = _trimmed(message.pieces) if message.role in family.trims else message.pieces
    if message.role == "tool" and family.quotes:
        pieces = tuple(msgspec.structs.replace(piece, text=quoted(piece.text)) for piece in pieces) or (Piece(""),)
    if message.tools and family.tool is None:
        pieces = (*pieces[:-1], Piece(_last(pieces) + "\n\n" * bool(message.text) + signatures(message.tools)))
    told = {"role": message.role, "content": placeholders.place(*_unless_empty(pieces))}
    if family.named is not None and label:
        name = family.named.name(label)
        told |= {"name": placeholders.place(Piece(name)), "tool_call_id": placeholders.place(Piece(label))}
    return told


def assistant(message: Message, placeholders: PlaceholderTokenizer, family: Family) -> dict[str, Any]:
    """A canned assistant message; malformed calls are part of its text."""
    pieces: Sequence[Piece] = (*message.pieces, *(Piece(malformed.text) for malformed in message.malformed))
    _require_room(message, pieces, family)
    reasoning = message.reasoning.strip("\n")
    if message.reasoning and pieces:
        pieces = (msgspec.structs.replace(pieces[0], text=pieces[0].text.lstrip("\n")), *pieces[1:])
    if "assistant" in family.trims:
        pieces, reasoning = _trimmed(pieces), reasoning.strip()
    calls = [_call(message, place, placeholders, family) for place in range(len(message.calls))]
    told = {"role": "assistant", "content": placeholders.place(*_unless_empty(pieces)), "tool_calls": calls}
    if family.thinks:  # the generation header ends inside the thought, and what is sampled is tokenised apart
        return {**told, "reasoning_content": placeholders.place(Piece(""), Piece(reasoning))}
    return {**told, "reasoning_content": placeholders.place(Piece(reasoning))} if message.reasoning else told


def tools(message: Message, placeholders: PlaceholderTokenizer, family: Family) -> list[Any] | None:
    """The tools of a message, where the family's template shows them."""
    if not message.tools or family.tool is None:
        return None
    places = [placeholders.place_json(family.tool(spec)) for spec in message.tools]
    return [{"function": place} for place in places] if family.unwraps else places


def described(spec: ToolSpec) -> dict[str, Any]:
    """A tool as OpenAI's API has it."""
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def quoted(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _trimmed(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces without white space at both ends."""
    texts = [piece.text for piece in pieces]
    if texts:
        texts[0] = texts[0].lstrip()
        texts[-1] = texts[-1].rstrip()
    return tuple(msgspec.structs.replace(piece, text=text) for piece, text in zip(pieces, texts, strict=True))


def _unless_empty(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Templates treat no text apart from some; a placeholder would hide that there is none."""
    return pieces if any(piece.text or piece.id is not None for piece in pieces) else ()


def _last(pieces: Sequence[Piece]) -> str:
    return pieces[-1].text if pieces else ""


def _call(message: Message, place: int, placeholders: PlaceholderTokenizer, family: Family) -> dict[str, Any]:
    call = message.calls[place]
    if family.typed:
        values = {
            placeholders.place(Piece(key)): placeholders.place(Piece(value if isinstance(value, str) else _json(value)))
            for key, value in json.loads(arguments_text(call)).items()
        }
        return {"name": placeholders.place(Piece(call.name)), "arguments": values}
    told = {"name": placeholders.place(Piece(call.name)), "arguments": placeholders.place(Piece(arguments_text(call)))}
    if family.named is None:
        return told
    return {"function": told, "id": placeholders.place(Piece(family.named.label(call.name, place)))}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _require_room(message: Message, pieces: Sequence[Piece], family: Family) -> None:
    """Raises ConfigError for what the family's template would leave out."""
    if message.reasoning and not family.reasons:
        raise ConfigError(f"{family.name} has no place for reasoning; leave it out of the canned message")
    if family.alone and message.calls and (len(message.calls) > 1 or any(piece.text for piece in pieces)):
        raise ConfigError(f"{family.name} writes one call and nothing beside it; cut the canned message up")
