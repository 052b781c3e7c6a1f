"""A tape: ChatML whose tokens are read back as messages, for servers that take messages and no tokens.

Always true: reading gives what was written. A control token is never made by text, so the borders of messages are
certain; tools stand on the tape as a message of their own (role ``tools``, JSON), and what the model said is read by
the parser that the harness uses.
"""

import json
from collections.abc import Iterator, Sequence

import msgspec

from trivium.episode import Json, Message, ToolCall, ToolSpec
from trivium.policy.parsing import Parsed
from trivium.policy.rendering import ChatML, Codec
from trivium.policy.rendering.chatml import arguments_text, call_text
from trivium.policy.rendering.token_writer import TokenWriter

from .chat import RawCall

TOOLS = "tools"
Plain = dict[str, Json]


class Tape(ChatML):
    """The renderer of a `ChatEngine`; the tokenizer only counts, so any will do."""

    name = "tape"

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec)
        self._header = self.lead()[len(codec.encode("\n")) + 1 :]

    def read(self, tokens: Sequence[int]) -> tuple[list[Plain], list[Plain]]:
        """(messages, tools) in OpenAI's form; the generation header at the end says nothing."""
        messages: list[Plain] = []
        tools: list[Plain] = []
        waiting: list[str] = []
        for role, turn in self._turns(tokens):
            if role == TOOLS:
                tools = [{"type": "function", "function": spec} for spec in json.loads(self._said(turn))]
            elif role == "assistant":
                said = self.parse(turn[len(self._header) :])
                waiting = [f"call_{len(messages)}_{place}" for place in range(len(said.calls))]
                messages.append(_assistant(said, waiting))
            elif role == "tool" and waiting:
                messages.append({"role": "tool", "tool_call_id": waiting.pop(0), "content": self._said(turn)})
            else:  # the answer to a call that could not be read has no call to name
                messages.append({"role": "user" if role == "tool" else role, "content": self._said(turn)})
        return messages, tools

    def reply(self, text: str, calls: Sequence[RawCall | ToolCall]) -> tuple[int, ...]:
        """The tokens of what a server said, as a model would have sampled them."""
        writer = TokenWriter(self.codec)
        writer.text(text)
        for call in calls:
            self._tagged(writer, "tool_call", call_text(call) if isinstance(call, ToolCall) else _raw(call))
        writer.control(self._end)
        return writer.rendered().tokens

    def _write(self, writer: TokenWriter, message: Message, first: bool) -> None:
        if not message.tools or message.role != "system":
            super()._write(writer, message, first)
            return
        super()._write(writer, msgspec.structs.replace(message, tools=()), first)
        self._head(writer, TOOLS, first=False)
        writer.text(json.dumps([_spec(tool) for tool in message.tools], ensure_ascii=False))
        writer.control(self._end)

    def _turns(self, tokens: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """(role, tokens behind the start of a message) for every message that was ended."""
        turn: list[int] | None = None
        for token in tokens:
            if token == self._start:
                turn = []
            elif token == self._end and turn is not None:
                yield self.decode(turn).partition("\n")[0], turn
                turn = None
            elif turn is not None:
                turn.append(token)

    def _said(self, turn: Sequence[int]) -> str:
        return self.decode(turn).partition("\n")[2]


def _assistant(said: Parsed, names: Sequence[str]) -> Plain:
    message: Plain = {"role": "assistant", "content": said.text + "".join(bad.text for bad in said.malformed)}
    if said.calls:
        message["tool_calls"] = [
            {"id": name, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}
            for name, call in zip(names, said.calls, strict=True)
        ]
    return message


def _spec(tool: ToolSpec) -> Plain:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _raw(call: RawCall) -> str:
    """A call with its arguments as they came: what is no JSON stays for the parser to refuse."""
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.arguments or "{}"}}}'
