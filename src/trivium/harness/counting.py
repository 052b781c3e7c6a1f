"""Counting tokens of text that comes again: the chunks of a corpus, shown to every member of a group."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from trivium.episode import Message
from trivium.policy.rendering import Rendered, Renderer


def count(renderer: Renderer, text: str) -> int:
    """Length of plain text, tokenised apart, in tokens of `renderer`."""
    return _count(renderer.count, text)


def frame(renderer: Renderer, messages: int, closes: bool) -> int:
    """Tokens of so many tool messages in a row that say nothing."""
    return sum(_frame(renderer.messages, messages, closes))


@lru_cache(maxsize=1 << 14)
def _count(counter: Callable[[str], int], text: str) -> int:
    return counter(text)


@lru_cache(maxsize=1 << 8)
def _frame(render: Callable[..., Sequence[Rendered]], messages: int, closes: bool) -> tuple[int, ...]:
    rendered = render([Message(role="tool")] * messages, closes=closes)
    return tuple(len(item.tokens) for item in rendered)
