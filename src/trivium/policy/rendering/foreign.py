"""The chat formats of model families, as their own templates write them, laid out by the package `renderers`.

Always true: joined node tokens are what the package renders for the whole conversation, wherever the template is
stable under appending. Where it is not, it is declared: `drops` names what a template takes out of history; here
nothing is dropped, so a longer conversation only appends. A canned assistant message has the tokens of a sampled one:
`lead`, then the rest apart, a stop token at its end. Results of parallel calls may share one turn: render them with
`messages`, not one by one.
"""

import importlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec

from trivium.episode import ConfigError, Message, ToolSpec
from trivium.policy.parsing import Parsed

from .base import Rendered
from .codec import Codec
from .family import Family
from .joining import joined, without_head
from .placeholder_tokenizer import PlaceholderTokenizer
from .reply_reader import ReplyReader
from .told import assistant, plain, quoted, tools


class Foreign(ReplyReader):
    """Renders and parses one family. Raises ConfigError when the package or a control token of it is missing."""

    def __init__(self, codec: Codec, family: Family) -> None:
        self.family, self.name, self.drops = family, family.name, family.drops
        self.dialect, self.opened = family.dialect, family.thinks
        self.parallel = not family.alone
        self._package = package(family)
        for literal in family.controls:
            codec.control(literal)
        stops = [codec.controls[literal] for literal in family.stops if literal in codec.controls]
        super().__init__(codec, frozenset(stops))
        self._end = stops[0]
        self._settles = [codec.control(literal) for literal in family.settles]
        self._header = self._generation_header()
        self._lead = () if family.precedes else self._header

    def opening(self, messages: Sequence[Message], /) -> Rendered:
        """The start of a conversation: the system message with its tools, and what follows it."""
        if not messages:
            raise ConfigError("an opening of 0 messages has nothing to read; begin with a system or a user message")
        first, rest = messages[0], messages[1:]
        begin = self._canned(first) if first.role == "assistant" else self._first(first)
        return joined([begin, *(self.messages(rest, closes=False) if rest else ())])

    def message(self, message: Message, /, *, closes: bool, after: Sequence[int] = ()) -> Rendered:
        """One message after an earlier node; see `messages`."""
        return self.messages([message], closes=closes, after=after)[0]

    def messages(
        self, messages: Sequence[Message], /, *, closes: bool, after: Sequence[int] = ()
    ) -> tuple[Rendered, ...]:
        """Messages in a row, one `Rendered` each; see `Renderer.messages`."""
        done: list[Rendered] = []
        last, labels = self._stop(after), self._labels(after)
        for canned, run in groupby(messages, lambda message: message.role == "assistant"):
            if canned:
                for message in run:
                    done.append(self._after_break(self._canned(message)))
                    last, labels = done[-1].tokens[-1], self._canned_labels(message)
            else:
                done += self._following(list(run), last, labels)
                last, labels = self._end, []
        if closes and done:
            done[0] = joined([Rendered((self._end,)), done[0]])
        return tuple(done)

    def lead(self) -> tuple[int, ...]:
        """The generation header, with the separator that follows the terminator before it."""
        return self._lead

    def count(self, text: str, /) -> int:
        """Length of plain text, tokenised apart, in tokens: as the family writes a result."""
        return super().count(quoted(text) if self.family.quotes else text)

    def parse(self, tokens: Sequence[int], /, *, tools: Sequence[ToolSpec] = ()) -> Parsed:
        """What sampled tokens say; the line breaks that the template puts around reasoning and text are left out."""
        parsed = super().parse(tokens, tools=tools)
        text, reasoning = parsed.text.strip("\n"), parsed.reasoning.strip("\n")
        return msgspec.structs.replace(parsed, text=text, reasoning=reasoning)

    def _layout(self) -> tuple[PlaceholderTokenizer, Any]:
        placeholders, name = PlaceholderTokenizer(self.codec, self.family.spelled), self.family.renderer
        config = getattr(self._package, f"{name}RendererConfig")(**self.family.settings)
        try:
            return placeholders, getattr(self._package, f"{name}Renderer")(placeholders, config)
        except AssertionError as error:
            raise ConfigError(f"this is no tokenizer of {self.name} ({error}); choose another renderer") from error

    def _generation_header(self) -> tuple[int, ...]:
        placeholders, layout = self._layout()
        bare = [{"role": "user", "content": ""}]
        without = len(layout.render(bare).token_ids)
        header = layout.render(bare, add_generation_prompt=True).token_ids[without:]
        return self.codec.encode(self.family.separator) + placeholders.develop(header).tokens

    def _first(self, message: Message) -> Rendered:
        placeholders, layout = self._layout()
        told = plain(message, placeholders, self.family)
        rendered = layout.render([told], tools=tools(message, placeholders, self.family))
        header = self._header if self.family.precedes and message.role == "user" else ()
        return joined([placeholders.develop(self._unbroken(placeholders, rendered.token_ids)), Rendered(header)])

    def _following(self, run: list[Message], last: int, labels: Sequence[str]) -> list[Rendered]:
        if any(message.tools for message in run):
            raise ConfigError(f"{self.name} shows tools in the first message only; put them on the system message")
        placeholders, layout = self._layout()
        waiting = iter(labels)
        told = [plain(one, placeholders, self.family, next(waiting, "") if one.role == "tool" else "") for one in run]
        rendered = layout.bridge_to_next_turn([self._end], [*self._settles, last], told)
        done: list[Rendered] = []
        ended = True
        for index in range(len(run)):
            tokens = _of(rendered, index)
            bare = self._unbroken(placeholders, tokens)
            shown = placeholders.develop(bare)
            done.append(self._after_break(shown) if ended else shown)
            ended = len(bare) < len(tokens)
        if self.family.precedes and run[-1].role != "tool":
            done[-1] = joined([done[-1], Rendered(self._header)])
        return done

    def _canned(self, message: Message) -> Rendered:
        placeholders, layout = self._layout()
        user = {"role": "user", "content": ""}
        told = assistant(message, placeholders, self.family)
        last = "reasoning_content" in told or not self.family.empties
        rendered = layout.render([user, told] if last else [told, user])
        said = placeholders.develop(self._unbroken(placeholders, _of(rendered, int(last))))
        said = without_head(said, self._header) if self.family.precedes else said
        return said if self.family.takes_turns is None else joined([said, Rendered((self._turn_end(message),))])

    def _turn_end(self, message: Message) -> int:
        assert self.family.takes_turns is not None
        return self.codec.control(self.family.takes_turns[0 if message.calls else 1])

    def _stop(self, after: Sequence[int]) -> int:
        """The stop token at the end of what was sampled; the canonical one where there is none."""
        return after[-1] if after and after[-1] in self.stop_ids else self._end

    def _labels(self, after: Sequence[int]) -> list[str]:
        return self.family.named.labels(super().parse(after)) if self.family.named and after else []

    def _canned_labels(self, message: Message) -> list[str]:
        named = self.family.named
        return [named.label(call.name, place) for place, call in enumerate(message.calls)] if named else []

    def _after_break(self, rendered: Rendered) -> Rendered:
        return joined([Rendered(self.codec.encode(self.family.separator)), rendered])

    def _unbroken(self, placeholders: PlaceholderTokenizer, tokens: Sequence[int]) -> Sequence[int]:
        """Without the separator after the terminator, which belongs to what follows."""
        broken = len(tokens) > 1 and tokens[-2] == self._end and placeholders.says(tokens[-1], self.family.separator)
        return tokens[:-1] if broken else tokens


def package(family: Family) -> Any:
    """The package `renderers`. Raises ConfigError when it is not installed."""
    try:
        return importlib.import_module("renderers")
    except ImportError as error:
        raise ConfigError(
            f"{family.name} needs the package renderers ({error}); run pip install 'trivium[qwen]'"
        ) from error


def _of(rendered: Any, index: int) -> tuple[int, ...]:
    """The tokens that the package attributes to one message."""
    pairs = zip(rendered.token_ids, rendered.message_indices, strict=True)
    return tuple(token for token, owner in pairs if owner == index)
