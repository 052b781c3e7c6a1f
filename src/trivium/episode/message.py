"""Messages: what a node says, before it is tokens.

A message is canonical: the same words give the same struct, however they were sent. Its content is a sequence of
pieces; a piece with an id is a part (one chunk of a search result), tokenised apart and removed whole.
"""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
else:
    Json = Any  # msgspec does not resolve recursive aliases; the decoder accepts exactly what JSON can hold


class ToolCall(msgspec.Struct, frozen=True):
    """A well-formed request for a tool: `arguments` is always an object."""

    name: str
    arguments: dict[str, Json]


class Malformed(msgspec.Struct, frozen=True):
    """Text that meant to be a tool call and is not one: kept whole, with the reason, and costed by the reward."""

    text: str
    reason: str


class Piece(msgspec.Struct, frozen=True):
    """A run of text; with an `id` it is a part that an edit may remove, and `source` is the corpus chunk behind it."""

    text: str
    id: str | None = None
    source: str | None = None


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as the model sees it: `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, Json]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a conversation, in canonical form."""

    role: Role
    pieces: tuple[Piece, ...] = ()
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    tools: tuple[ToolSpec, ...] = ()

    @property
    def text(self) -> str:
        """The content as one string, parts included."""
        return "".join(piece.text for piece in self.pieces)


def say(role: Role, text: str) -> Message:
    """A message of plain text."""
    return Message(role=role, pieces=(Piece(text),))


def without_surrogates(text: str) -> str:
    """The text with halves of surrogate pairs, which no UTF-8 (and so no store) holds, as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def printable(text: str) -> str:
    """Text of a model or a corpus, with what could steer a terminal or a page made visible."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)
