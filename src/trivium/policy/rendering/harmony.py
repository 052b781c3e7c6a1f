"""Harmony: the chat format of gpt-oss, after OpenAI's description of it (openai/harmony, docs/format.md).

    <|start|>system<|message|>{identity, effort, channels}<|end|><|start|>developer<|message|>{text, tools}<|end|>
    <|start|>user<|message|>{text}<|end|><|start|>assistant
    <|channel|>analysis<|message|>{thought}<|end|><|start|>assistant
    <|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>
    <|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{result}<|end|><|start|>assistant

Written here and not through the package `renderers`, which lays this family out inside a compiled encoder that fetches
its own vocabulary. Always true: what is written is what that encoder gives (without a date, which would change what a
run reads from day to day), with results that carry the name of the call they answer. Nothing is dropped from history,
also not the thoughts before a final answer; a canned message has the tokens of a sampled one, ``<|return|>`` included.
"""

import re
from collections.abc import Sequence
from typing import Literal

from trivium.episode import ConfigError, Message, Piece, ToolCall
from trivium.policy.parsing import StretchKind

from .base import Rendered
from .chatml import arguments_text
from .codec import Codec
from .reply_reader import ReplyReader
from .token_writer import TokenWriter
from .typescript import namespace

IDENTITY = "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06"
CHANNELS = "# Valid channels: analysis, commentary, final. Channel must be included for every message."
ROUTE = "\nCalls to these tools must go to the commentary channel: 'functions'."
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")
_UNKNOWN = "unknown"


class Harmony(ReplyReader):
    """Renders and parses gpt-oss. Raises ConfigError when a control token of it is missing."""

    name = "gpt-oss"
    dialect = "harmony"
    parallel = False
    opened = True
    drops = frozenset({"reasoning_before_final_answer"})

    def __init__(self, codec: Codec, *, effort: Literal["low", "medium", "high"] = "medium") -> None:
        names = ("start", "end", "message", "channel", "constrain", "return", "call")
        self._ids = {name: codec.control(f"<|{name}|>") for name in names}
        self._effort = effort
        super().__init__(codec, frozenset({self._ids["return"], self._ids["call"]}))
        header = TokenWriter(codec)
        self._write(header, "<start>assistant")
        self._lead = header.rendered().tokens

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        if not messages:
            raise ConfigError("an opening of 0 messages has nothing to read; begin with a system or a user message")
        first, writer = messages[0], TokenWriter(self.codec)
        route = ROUTE if first.tools else ""
        self._write(writer, f"<start>system<message>{IDENTITY}\n\nReasoning: {self._effort}\n\n{CHANNELS}{route}<end>")
        labels: list[str] = []
        for index, message in enumerate(messages):
            labels = self._message(writer, message, labels, first=index == 0)
        return writer.rendered()

    def message(self, message: Message, /, *, closes: bool, after: Sequence[int] = ()) -> Rendered:
        """One message after an earlier node; see `messages`."""
        return self.messages([message], closes=closes, after=after)[0]

    def messages(
        self, messages: Sequence[Message], /, *, closes: bool, after: Sequence[int] = ()
    ) -> tuple[Rendered, ...]:
        """Messages in a row, one `Rendered` each; see `Renderer.messages`."""
        done = []
        labels = self._labels(after)
        for index, message in enumerate(messages):
            writer = TokenWriter(self.codec)
            if closes and not index:
                self._write(writer, "<end>")
            labels = self._message(writer, message, labels, first=False)
            done.append(writer.rendered())
        return tuple(done)

    def lead(self) -> tuple[int, ...]:
        """The generation header."""
        return self._lead

    def _labels(self, after: Sequence[int]) -> list[str]:
        """The tools that were called, in the order in which the harness answers: malformed calls last."""
        ordered = sorted(self.parse(after).stretches, key=lambda one: one.kind is StretchKind.MALFORMED)
        found = [_RECIPIENT.search(one.raw) for one in ordered if one.kind in (StretchKind.CALL, StretchKind.MALFORMED)]
        return [match.group(1) if match else _UNKNOWN for match in found]

    def _message(self, writer: TokenWriter, message: Message, labels: list[str], first: bool) -> list[str]:
        """Write a message; the names of the calls that are still to be answered."""
        if message.tools and not first:
            raise ConfigError(f"{self.name} shows tools in the first message only; put them on the system message")
        if message.role == "assistant":
            self._canned(writer, message)
            return [call.name for call in message.calls]
        if message.role == "system":
            self._developer(writer, message)
        elif message.role == "user":
            self._block(writer, "user", message.pieces, "<end>")
        else:
            self._result(writer, labels[0] if labels else _UNKNOWN, message.pieces)
            return labels[1:]
        return labels

    def _developer(self, writer: TokenWriter, message: Message) -> None:
        if not message.text and not message.tools:
            return
        self._write(writer, "<start>developer<message>")
        if message.text:
            writer.text("# Instructions\n\n")
            writer.pieces(message.pieces)
        if message.tools:
            writer.text("\n\n" * bool(message.text) + namespace(message.tools))
        self._write(writer, "<end>")

    def _result(self, writer: TokenWriter, name: str, pieces: Sequence[Piece]) -> None:
        self._write(writer, "<start>")
        writer.text(f"functions.{name} to=assistant")
        self._write(writer, "<channel>commentary<message>")
        writer.pieces(pieces)
        self._write(writer, "<end>")

    def _canned(self, writer: TokenWriter, message: Message) -> None:
        if len(message.calls) > 1:
            raise ConfigError(f"{self.name} stops at its first call; cut the canned message up")
        said = [*message.pieces, *(Piece(malformed.text) for malformed in message.malformed)]
        blocks: list[tuple[str, ToolCall | Sequence[Piece]]] = []
        if message.reasoning:
            blocks.append(("analysis", [Piece(message.reasoning)]))
        if any(piece.text for piece in said) or not (message.calls or message.reasoning):
            blocks.append(("commentary" if message.calls else "final", said))
        for index, (channel, block) in enumerate([*blocks, *(("commentary", call) for call in message.calls)]):
            self._write(writer, "<start>assistant")
            last = index == len(blocks) + len(message.calls) - 1
            if isinstance(block, ToolCall):
                self._call(writer, block)
            else:
                self._write(writer, f"<channel>{channel}<message>")
                writer.pieces(block)
                self._write(writer, "<return>" if last else "<end>")

    def _call(self, writer: TokenWriter, call: ToolCall) -> None:
        self._write(writer, "<channel>commentary to=functions.")
        writer.text(call.name)
        self._write(writer, " <constrain>json<message>")
        writer.text(arguments_text(call))
        self._write(writer, "<call>")

    def _block(self, writer: TokenWriter, role: str, pieces: Sequence[Piece], end: str) -> None:
        self._write(writer, f"<start>{role}<message>")
        writer.pieces(pieces)
        self._write(writer, end)

    def _write(self, writer: TokenWriter, scaffold: str) -> None:
        """Write scaffold of ours, in which ``<start>`` and its kin are control tokens."""
        for index, stretch in enumerate(re.split(r"<([a-z]+)>", scaffold)):
            if index % 2:
                writer.control(self._ids[stretch])
            else:
                writer.text(stretch)
