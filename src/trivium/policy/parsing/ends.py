"""Where the body of a block ends.

    Until    a closing marker; in a body that is JSON, not one inside a string
    Value    the bracket that closes a JSON (or Python) value, if a value stands there at all

Always true: the scanners are incremental, and each reads every letter once.
"""

import re
from collections.abc import Callable, Collection
from enum import Enum
from typing import NamedTuple, Protocol

from .brackets import BracketScanner
from .lexer import Atom


class Verdict(Enum):
    """What an atom does to the block it stands in."""

    MORE = "more"
    """It belongs to the body."""
    DONE = "done"
    """The block ends in it, after `Step.at` letters."""
    MAYBE = "maybe"
    """A closing marker inside a string: the end, if no better one comes."""
    CUT = "cut"
    """The block ends before it, unclosed."""
    NEVER = "never"
    """There is no block: all since its opening is text."""


class Step(NamedTuple):
    """A verdict; for DONE, how many letters of the atom still belong to the block."""

    verdict: Verdict
    at: int = 0


_MORE = Step(Verdict.MORE)


class End(Protocol):
    """Decides where a body ends."""

    def step(self, atom: Atom, /) -> Step:
        """Read one atom of the body."""
        ...


EndOf = Callable[[], End]


class Until:
    """Ends at one of `closers`; one of `stops` cuts it off. A control token decides even inside a string.

    The body is JSON when its first letter, those in `skip` apart, is a bracket.
    """

    def __init__(self, closers: Collection[str], stops: Collection[str] = (), skip: str | None = None) -> None:
        self._closers = closers
        self._stops = stops
        self._skip = skip
        self._brackets: BracketScanner | None = None
        self._started = False

    def step(self, atom: Atom, /) -> Step:
        """Read one atom of the body."""
        quoted = self._brackets is not None and bool(self._brackets.quote)
        if atom.mark and (atom.sure or not quoted):
            if atom.text in self._closers:
                return Step(Verdict.DONE, len(atom.text))
            if atom.text in self._stops:
                return Step(Verdict.CUT)
        self._follow(atom.text)
        return Step(Verdict.MAYBE) if atom.mark and atom.text in self._closers else _MORE

    def _follow(self, text: str) -> None:
        if not self._started and (start := text.lstrip(self._skip)):
            self._started = True
            self._brackets = BracketScanner() if start[0] in "{[" else None
        if self._brackets is not None:
            self._brackets.read(text)


class Start(NamedTuple):
    """How a value starts: `yes` finds its bracket (group ``open``), `maybe` fits a start that is still undecided."""

    yes: re.Pattern[str]
    maybe: re.Pattern[str]
    python: bool = False


class Value:
    """Ends with the bracket that closes a value of one of these starts."""

    def __init__(self, *starts: Start, head: str = "") -> None:
        self._starts = starts
        self._head = head
        self._brackets: BracketScanner | None = None

    def step(self, atom: Atom, /) -> Step:
        """Read one atom of the body."""
        if self._brackets is not None:
            return self._closing(atom.text, 0)
        start = self._head + atom.text
        for yes, _, python in self._starts:
            if found := yes.match(start):
                self._brackets = BracketScanner(python)
                return self._closing(start[found.start("open") :], len(self._head) - found.start("open"))
        if any(maybe.fullmatch(start) for _, maybe, _ in self._starts):
            self._head = start
            return _MORE
        return Step(Verdict.NEVER)

    def _closing(self, text: str, before: int) -> Step:
        assert self._brackets is not None
        at = self._brackets.read(text)
        return _MORE if at is None else Step(Verdict.DONE, at - before)
