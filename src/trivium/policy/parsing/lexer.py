"""The lexer: finds markers in text that arrives in pieces.

Always true: the atoms do not depend on how the text was cut, except that a run of text may come in several atoms. The
leftmost marker wins, the longest of those that start there; what may still become a marker is held back, so no more
than one marker's length is ever read twice.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple


class Atom(NamedTuple):
    """A run of text, or a marker. `sure`: it came from a control token, so no text can have spelled it."""

    text: str
    mark: bool = False
    sure: bool = False


class Lexer:
    """Text in, atoms out."""

    def __init__(self, markers: Iterable[str]) -> None:
        self._pattern, self._prefixes, self._longest = _tables(frozenset(markers))
        self._held = ""

    def feed(self, text: str) -> Iterator[Atom]:
        """The atoms that are certain now."""
        self._held += text
        at, limit = 0, self._undecided()
        for found in self._pattern.finditer(self._held):
            if found.start() >= limit:
                break
            yield from _run(self._held[at : found.start()])
            yield Atom(found.group(), mark=True)
            at = found.end()
        limit = max(at, limit)
        yield from _run(self._held[at:limit])
        self._held = self._held[limit:]

    def flush(self) -> Iterator[Atom]:
        """No text follows: what was held back is decided."""
        held, self._held = self._held, ""
        at = 0
        for found in self._pattern.finditer(held):
            yield from _run(held[at : found.start()])
            yield Atom(found.group(), mark=True)
            at = found.end()
        yield from _run(held[at:])

    def _undecided(self) -> int:
        """Where the held text ends in something that may still become a marker, or a longer one."""
        for at in range(max(0, len(self._held) - self._longest + 1), len(self._held)):
            if self._held[at:] in self._prefixes:
                return at
        return len(self._held)


def _run(text: str) -> Iterator[Atom]:
    if text:
        yield Atom(text)


@cache
def _tables(markers: frozenset[str]) -> tuple[re.Pattern[str], frozenset[str], int]:
    ordered = sorted(markers, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, ordered)) or r"(?!)")
    prefixes = frozenset(marker[:at] for marker in ordered for at in range(1, len(marker)))
    return pattern, prefixes, len(ordered[0]) if ordered else 0
