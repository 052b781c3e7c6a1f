"""Counting tokens of text that comes again: the chunks of a corpus, shown to every member of a group."""

from functools import lru_cache

from trivium.policy.rendering import Renderer


@lru_cache(maxsize=1 << 14)
def count(renderer: Renderer, text: str) -> int:
    """Length of plain text, tokenised apart, in tokens of `renderer`."""
    return renderer.count(text)
