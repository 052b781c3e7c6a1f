"""The seam of rendering: messages to node tokens, sampled tokens to what they say.

Always true: a renderer writes only what the environment and the harness say; sampled ids are read by `parse` and never
written again. The separator that a template puts after a turn's terminator belongs to the start of what follows, since
the model stops at the terminator: node tokens joined in order are the prompt.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from trivium.episode import Message, Part, ToolSpec
from trivium.policy.parsing import Parsed, Stretch


class Rendered(msgspec.Struct, frozen=True):
    """Tokens of one node, and the spans of its parts."""

    tokens: tuple[int, ...]
    parts: tuple[Part, ...] = ()


class Stream(Protocol):
    """Reads a reply as it arrives: stretches as soon as they are certain; `parsed` is the whole after `finish`."""

    def feed(self, text: str, /) -> list[Stretch]:
        """Read more text."""
        ...

    def finish(self) -> list[Stretch]:
        """The reply is complete: the stretches that were still open."""
        ...

    @property
    def parsed(self) -> Parsed:
        """All that was read so far, in one account."""
        ...


class TokenStream(Protocol):
    """The same over sampled tokens, where a control token is told from text that spells it."""

    def feed(self, tokens: Sequence[int], /) -> list[Stretch]:
        """Read more tokens."""
        ...

    def finish(self) -> list[Stretch]:
        """The reply is complete: the stretches that were still open."""
        ...

    @property
    def parsed(self) -> Parsed:
        """All that was read so far, in one account."""
        ...


class Renderer(Protocol):
    """The language of one model family."""

    @property
    def name(self) -> str:
        """Short name, as recipes write it."""
        ...

    @property
    def stop_ids(self) -> frozenset[int]:
        """Control tokens that end a turn when sampled."""
        ...

    @property
    def drops(self) -> frozenset[str]:
        """What the model's own template drops from history; a renderer drops nothing, an edit may."""
        ...

    @property
    def parallel(self) -> bool:
        """Whether one message may make several calls."""
        ...

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        ...

    def message(self, message: Message, /, *, closes: bool, after: Sequence[int] = ()) -> Rendered:
        """One message after an earlier node; see `messages`."""
        ...

    def messages(
        self, messages: Sequence[Message], /, *, closes: bool, after: Sequence[int] = ()
    ) -> tuple[Rendered, ...]:
        """Messages in a row (the results of parallel calls), one `Rendered` each: some templates wrap them together.

        `closes` when the node before is an action without a stop token at its end. `after`: what was sampled in that
        action, for templates in which a result repeats the name of its call, or the stop token opens what follows.
        """
        ...

    def lead(self) -> tuple[int, ...]:
        """The generation header, with the separator that follows the terminator before it."""
        ...

    def parse(self, tokens: Sequence[int], /, *, tools: Sequence[ToolSpec] = ()) -> Parsed:
        """What sampled tokens say. Never raises; a stop token at the end is not part of the text.

        `tools` give types to arguments, in families that write strings without quotes.
        """
        ...

    def stream(self) -> Stream:
        """A parser for a reply that arrives as text."""
        ...

    def token_stream(self) -> TokenStream:
        """A parser for a reply that arrives as tokens."""
        ...

    def count(self, text: str, /) -> int:
        """Length of plain text, tokenised apart, in tokens."""
        ...

    def encode_text(self, text: str, /) -> tuple[int, ...]:
        """Tokens of plain text; control literals in it stay text."""
        ...

    def decode(self, tokens: Sequence[int], /) -> str:
        """The text of tokens, control tokens spelled out."""
        ...
