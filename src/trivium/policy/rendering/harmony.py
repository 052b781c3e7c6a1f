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
from trivium.policy.parsing import Said

from .base import Rendered
from .chatml import arguments_text
from .codec import Codec
from .listener import Listener
from .sheet import Sheet
from .typescript import namespace

IDENTITY = "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06"
CHANNELS = "# Valid channels: analysis, commentary, final. Channel must be included for every message."
ROUTE = "\nCalls to these tools must go to the commentary channel: 'functions'."
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")
_UNKNOWN = "unknown"


class Harmony(Listener):
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
        header = Sheet(codec)
        self._write(header, "<start>assistant")
        self._lead = header.rendered().tokens

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        if not messages:
            raise ConfigError("an opening of 0 messages has nothing to read; begin with a system or a user message")
        first, sheet = messages[0], Sheet(self.codec)
        route = ROUTE if first.tools else ""
        self._write(sheet, f"<start>system<message>{IDENTITY}\n\nReasoning: {self._effort}\n\n{CHANNELS}{route}<end>")
        labels: list[str] = []
        for index, message in enumerate(messages):
            labels = self._message(sheet, message, labels, first=index == 0)
        return sheet.rendered()

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
            sheet = Sheet(self.codec)
            if closes and not index:
                self._write(sheet, "<end>")
            labels = self._message(sheet, message, labels, first=False)
            done.append(sheet.rendered())
        return tuple(done)

    def lead(self) -> tuple[int, ...]:
        """The generation header."""
        return self._lead

    def _labels(self, after: Sequence[int]) -> list[str]:
        """The tools that were called, in the order in which the harness answers: malformed calls last."""
        ordered = sorted(self.parse(after).segments, key=lambda segment: segment.said is Said.MALFORMED)
        found = [_RECIPIENT.search(one.raw) for one in ordered if one.said in (Said.CALL, Said.MALFORMED)]
        return [match.group(1) if match else _UNKNOWN for match in found]

    def _message(self, sheet: Sheet, message: Message, labels: list[str], first: bool) -> list[str]:
        """Write a message; the names of the calls that are still to be answered."""
        if message.tools and not first:
            raise ConfigError(f"{self.name} shows tools in the first message only; put them on the system message")
        if message.role == "assistant":
            self._canned(sheet, message)
            return [call.name for call in message.calls]
        if message.role == "system":
            self._developer(sheet, message)
        elif message.role == "user":
            self._block(sheet, "user", message.pieces, "<end>")
        else:
            self._result(sheet, labels[0] if labels else _UNKNOWN, message.pieces)
            return labels[1:]
        return labels

    def _developer(self, sheet: Sheet, message: Message) -> None:
        if not message.text and not message.tools:
            return
        self._write(sheet, "<start>developer<message>")
        if message.text:
            sheet.text("# Instructions\n\n")
            sheet.pieces(message.pieces)
        if message.tools:
            sheet.text("\n\n" * bool(message.text) + namespace(message.tools))
        self._write(sheet, "<end>")

    def _result(self, sheet: Sheet, name: str, pieces: Sequence[Piece]) -> None:
        self._write(sheet, "<start>")
        sheet.text(f"functions.{name} to=assistant")
        self._write(sheet, "<channel>commentary<message>")
        sheet.pieces(pieces)
        self._write(sheet, "<end>")

    def _canned(self, sheet: Sheet, message: Message) -> None:
        if len(message.calls) > 1:
            raise ConfigError(f"{self.name} stops at its first call; cut the canned message up")
        said = [*message.pieces, *(Piece(malformed.text) for malformed in message.malformed)]
        blocks: list[tuple[str, ToolCall | Sequence[Piece]]] = []
        if message.reasoning:
            blocks.append(("analysis", [Piece(message.reasoning)]))
        if any(piece.text for piece in said) or not (message.calls or message.reasoning):
            blocks.append(("commentary" if message.calls else "final", said))
        for index, (channel, block) in enumerate([*blocks, *(("commentary", call) for call in message.calls)]):
            self._write(sheet, "<start>assistant")
            last = index == len(blocks) + len(message.calls) - 1
            if isinstance(block, ToolCall):
                self._call(sheet, block)
            else:
                self._write(sheet, f"<channel>{channel}<message>")
                sheet.pieces(block)
                self._write(sheet, "<return>" if last else "<end>")

    def _call(self, sheet: Sheet, call: ToolCall) -> None:
        self._write(sheet, "<channel>commentary to=functions.")
        sheet.text(call.name)
        self._write(sheet, " <constrain>json<message>")
        sheet.text(arguments_text(call))
        self._write(sheet, "<call>")

    def _block(self, sheet: Sheet, role: str, pieces: Sequence[Piece], end: str) -> None:
        self._write(sheet, f"<start>{role}<message>")
        sheet.pieces(pieces)
        self._write(sheet, end)

    def _write(self, sheet: Sheet, scaffold: str) -> None:
        """Write scaffold of ours, in which ``<start>`` and its kin are control tokens."""
        for index, stretch in enumerate(re.split(r"<([a-z]+)>", scaffold)):
            if index % 2:
                sheet.control(self._ids[stretch])
            else:
                sheet.text(stretch)
