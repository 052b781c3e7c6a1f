"""Qwen3, as its own chat template writes it, laid out by the package `renderers`.

Always true: joined node tokens are what the package renders for the whole conversation, wherever the template is stable
under appending. Where it is not, it is declared: the template drops the reasoning of every turn before the last user
message (`drops`); here nothing is dropped, so a longer conversation only appends. A canned assistant message is
written as the template writes history, with its reasoning if it has any. Results of parallel calls share one user
turn: render them with `messages`, not one by one.
"""

import importlib
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

from trivium.episode import ConfigError, Message, Part
from trivium.policy.parsing import Parsed

from .base import Rendered
from .codec import Codec
from .hermes_reader import HermesReader
from .placeholder_tokenizer import PlaceholderTokenizer
from .qwen_messages import assistant, plain, tool_json

_TURNS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")


class Qwen3(HermesReader):
    """Renders and parses Qwen3. With `thinking` off, the generation header holds an empty thought.

    Raises ConfigError when the package or a control token of Qwen3 is missing.
    """

    name = "qwen3"
    drops = frozenset({"reasoning_before_last_user"})

    def __init__(self, codec: Codec, *, thinking: bool = True) -> None:
        self._package = _package()
        self._config = self._package.Qwen3RendererConfig(enable_thinking=thinking, thinking_retention="all")
        ids = {literal: codec.control(literal) for literal in (*_TURNS, *_TAGS)}
        super().__init__(codec, frozenset({ids["<|im_end|>"], ids["<|endoftext|>"]}))
        self._end = ids["<|im_end|>"]
        self._break = codec.encode("\n")
        self._lead = self._header()

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        if not messages:
            raise ConfigError("an opening of 0 messages has nothing to read; begin with a system or a user message")
        first, rest = messages[0], messages[1:]
        begin = self._canned(first) if first.role == "assistant" else self._first(first)
        return _joined([begin, *(self.messages(rest, closes=False) if rest else ())])

    def message(self, message: Message, /, *, closes: bool) -> Rendered:
        """One message after an earlier node; `closes` when that node is an action without a stop token at its end."""
        return self.messages([message], closes=closes)[0]

    def messages(self, messages: Sequence[Message], /, *, closes: bool) -> tuple[Rendered, ...]:
        """Messages in a row, one `Rendered` each; tool results in a row share one turn."""
        done: list[Rendered] = []
        for canned, run in groupby(messages, lambda message: message.role == "assistant"):
            if canned:
                done += [_joined([Rendered(self._break), self._canned(message)]) for message in run]
            else:
                done += self._following(list(run))
        if closes and done:
            done[0] = _joined([Rendered((self._end,)), done[0]])
        return tuple(done)

    def lead(self) -> tuple[int, ...]:
        """The generation header, with the separator that follows the terminator before it."""
        return self._lead

    def parse(self, tokens: Sequence[int], /) -> Parsed:
        """What sampled tokens say; the line breaks that the template puts around reasoning and text are left out."""
        parsed = super().parse(tokens)
        text, reasoning = parsed.text.strip("\n"), parsed.reasoning.strip("\n")
        return msgspec.structs.replace(parsed, text=text, reasoning=reasoning)

    def _renderer(self, placeholders: PlaceholderTokenizer) -> Any:
        return self._package.Qwen3Renderer(placeholders, self._config)

    def _header(self) -> tuple[int, ...]:
        placeholders = PlaceholderTokenizer(self.codec)
        bare = [{"role": "user", "content": ""}]
        rendered = self._renderer(placeholders).render(bare, add_generation_prompt=True)
        return self._break + _of(rendered, -1)

    def _first(self, message: Message) -> Rendered:
        placeholders = PlaceholderTokenizer(self.codec)
        tools = [placeholders.place_json(tool_json(spec)) for spec in message.tools]
        rendered = self._renderer(placeholders).render([plain(message, placeholders)], tools=tools or None)
        return placeholders.develop(self._unbroken(_of(rendered, 0)))

    def _following(self, run: Sequence[Message]) -> list[Rendered]:
        if any(message.tools for message in run):
            raise ConfigError("Qwen3 shows tools in the first message only; put them on the system message there")
        placeholders = PlaceholderTokenizer(self.codec)
        told = [plain(message, placeholders) for message in run]
        rendered = self._renderer(placeholders).bridge_to_next_turn([self._end], [self._end], told)
        done: list[Rendered] = []
        ended = True
        for index in range(len(run)):
            tokens = _of(rendered, index)
            bare = self._unbroken(tokens)
            done.append(placeholders.develop((self._break if ended else ()) + bare))
            ended = len(bare) < len(tokens)
        return done

    def _canned(self, message: Message) -> Rendered:
        placeholders = PlaceholderTokenizer(self.codec)
        user = {"role": "user", "content": ""}
        told = assistant(message, placeholders)
        rendered = self._renderer(placeholders).render([user, told] if message.reasoning else [told, user])
        return placeholders.develop(self._unbroken(_of(rendered, int(bool(message.reasoning)))))

    def _unbroken(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """Without the separator after the terminator, which belongs to what follows."""
        ending = (self._end, *self._break)
        return tokens[: -len(self._break)] if tokens[-len(ending) :] == ending else tokens


def _package() -> Any:
    try:
        return importlib.import_module("renderers")
    except ImportError as error:
        raise ConfigError(f"Qwen3 needs the package renderers ({error}); run pip install 'trivium[qwen]'") from error


def _of(rendered: Any, index: int) -> tuple[int, ...]:
    """The tokens that the package attributes to one message; -1 is the generation header."""
    pairs = zip(rendered.token_ids, rendered.message_indices, strict=True)
    return tuple(token for token, owner in pairs if owner == index)


def _joined(rendered: Iterable[Rendered]) -> Rendered:
    tokens: list[int] = []
    parts: list[Part] = []
    for one in rendered:
        at = len(tokens)
        parts += [Part(part.id, part.start + at, part.stop + at, part.source) for part in one.parts]
        tokens += one.tokens
    return Rendered(tuple(tokens), tuple(parts))
