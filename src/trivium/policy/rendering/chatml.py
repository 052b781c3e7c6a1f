"""ChatML: the renderer of small models, with one signature line per tool and calls as JSON between tags.

    <|im_start|>system\\n{text}\\n# Tools\\n{one line per tool}<|im_end|>\\n
    <|im_start|>assistant\\n<think>{reasoning}</think>{text}<tool_call>{call as JSON}</tool_call><|im_end|>\\n
    <|im_start|>tool\\n{result}<|im_end|>\\n<|im_start|>assistant\\n

Always true: the tokens are those of `CHAT_TEMPLATE`, the Jinja template to store with a checkpoint, except that control
literals inside a message stay text. A canned assistant message has the tokens of a sampled one: `lead`, then the rest
apart (the template merges the two when the rest begins with a line break). Nothing is dropped from history, so a longer
conversation only appends. There is no BOS token. `<tool_call>` and `<think>` are control tokens where the tokenizer has
them, and plain text otherwise.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from trivium.episode import ConfigError, Message, ToolCall

from .base import Rendered
from .codec import Codec
from .reply_reader import ReplyReader
from .signatures import signatures
from .token_writer import TokenWriter

CHAT_TEMPLATE = Path(__file__).with_name("chatml.jinja").read_text(encoding="utf-8")
_START, _END = "<|im_start|>", "<|im_end|>"


class ChatML(ReplyReader):
    """Renders and parses ChatML. Raises ConfigError when the tokenizer lacks ``<|im_start|>`` or ``<|im_end|>``."""

    name = "chatml"
    drops: frozenset[str] = frozenset()

    def __init__(self, codec: Codec) -> None:
        self._start, self._end = codec.control(_START), codec.control(_END)
        super().__init__(codec, frozenset({self._end, codec.controls.get("<|endoftext|>", self._end)}))
        header = TokenWriter(codec)
        self._head(header, "assistant", first=False)
        self._lead = header.rendered().tokens

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        if not messages:
            raise ConfigError("an opening of 0 messages has nothing to read; begin with a system or a user message")
        writer = TokenWriter(self.codec)
        for index, message in enumerate(messages):
            self._write(writer, message, first=index == 0)
        return writer.rendered()

    def message(self, message: Message, /, *, closes: bool, after: Sequence[int] = ()) -> Rendered:
        """One message after an earlier node; see `Renderer.messages`. What was sampled changes nothing here."""
        writer = TokenWriter(self.codec)
        if closes:
            writer.control(self._end)
        self._write(writer, message, first=False)
        return writer.rendered()

    def messages(
        self, messages: Sequence[Message], /, *, closes: bool, after: Sequence[int] = ()
    ) -> tuple[Rendered, ...]:
        """Messages in a row, one `Rendered` each."""
        return tuple(self.message(message, closes=closes and not index) for index, message in enumerate(messages))

    def lead(self) -> tuple[int, ...]:
        """The generation header, with the separator that follows the terminator before it."""
        return self._lead

    def _head(self, writer: TokenWriter, role: str, first: bool) -> None:
        writer.text("" if first else "\n")
        writer.control(self._start)
        writer.text(f"{role}\n")

    def _write(self, writer: TokenWriter, message: Message, first: bool) -> None:
        if message.tools and message.role != "system":
            raise ConfigError(f"a {message.role} message has {len(message.tools)} tools; put them on a system message")
        self._head(writer, message.role, first)
        if message.role == "assistant":
            writer.cut()  # as if it had been sampled after `lead`
        if message.reasoning:
            self._tagged(writer, "think", message.reasoning)
        writer.pieces(message.pieces)
        if message.tools:
            writer.text("\n" * bool(message.text) + signatures(message.tools))
        for call in message.calls:
            self._tagged(writer, "tool_call", call_text(call))
        for malformed in message.malformed:
            writer.text(malformed.text)
        writer.control(self._end)

    def _tagged(self, writer: TokenWriter, tag: str, text: str) -> None:
        for literal, inner in ((f"<{tag}>", text), (f"</{tag}>", "")):
            if literal in self.codec.controls:
                writer.control(self.codec.controls[literal])
            else:
                writer.text(literal)
            writer.text(inner)


def call_text(call: ToolCall) -> str:
    """A call as JSON."""
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments_text(call)}}}'


def arguments_text(call: ToolCall) -> str:
    """The arguments as JSON. Raises ConfigError for what JSON cannot hold, such as NaN."""
    try:
        return json.dumps(call.arguments, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ConfigError(f"the arguments of {call.name} are no JSON ({error}); a canned call needs JSON") from error
