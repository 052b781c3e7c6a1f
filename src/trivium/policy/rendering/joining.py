"""Rendered stretches put together and cut, with the spans of their parts."""

from collections.abc import Iterable

from trivium.episode import Part

from .base import Rendered


def without_head(rendered: Rendered, head: tuple[int, ...]) -> Rendered:
    """Without `head`, which stands at its start."""
    assert rendered.tokens[: len(head)] == head
    parts = [Part(part.id, part.start - len(head), part.stop - len(head), part.source) for part in rendered.parts]
    return Rendered(rendered.tokens[len(head) :], tuple(parts))


def joined(rendered: Iterable[Rendered]) -> Rendered:
    """One after the other."""
    tokens: list[int] = []
    parts: list[Part] = []
    for one in rendered:
        at = len(tokens)
        parts += [Part(part.id, part.start + at, part.stop + at, part.source) for part in one.parts]
        tokens += one.tokens
    return Rendered(tuple(tokens), tuple(parts))
