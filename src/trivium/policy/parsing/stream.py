"""What every parser of a reply shares: text or control tokens in, segments out, one account at the end."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

from .lexer import Atom, Lexer
from .reading import Reading
from .segments import Parsed, Said, Segment, account


class Parser(ABC):
    """Reads one reply. A dialect says what to do with an atom, and with what is open at the end."""

    def __init__(self, markers: Iterable[str]) -> None:
        self.markers = frozenset(markers)
        self._lexer = Lexer(self.markers)
        self._said: list[Segment] = []
        self._new = 0

    def seal(self, controls: Collection[str]) -> None:
        """Take these markers only from `feed_control`: where they are control tokens, text that spells them is text."""
        self._lexer = Lexer(self.markers.difference(controls))

    def feed(self, text: str, /) -> list[Segment]:
        """Read more text; the segments that became certain."""
        for atom in self._lexer.feed(text):
            self._take(atom)
        return self._fresh()

    def feed_control(self, literal: str, /) -> list[Segment]:
        """Read a control token: a marker for sure, or text that no marker can be part of."""
        for atom in self._lexer.flush():
            self._take(atom)
        self._take(Atom(literal, mark=literal in self.markers, sure=True))
        return self._fresh()

    def finish(self) -> list[Segment]:
        """The reply is complete; the segments that were still open."""
        for atom in self._lexer.flush():
            self._take(atom)
        self._end()
        return self._fresh()

    @property
    def parsed(self) -> Parsed:
        """The account of all segments so far."""
        return account(self._said)

    @abstractmethod
    def _take(self, atom: Atom) -> None:
        """Read one atom."""

    @abstractmethod
    def _end(self) -> None:
        """Decide about what is still open."""

    def _say(self, said: Said, raw: str) -> None:
        if raw:
            self._said.append(Segment(said, raw))

    def _tell(self, raw: str, reading: Reading) -> None:
        if not reading.meant:
            self._say(Said.TEXT, raw)
        elif reading.reason:
            self._said.append(Segment(Said.MALFORMED, raw, reason=reading.reason))
        else:
            self._said.append(Segment(Said.CALL, raw, reading.calls, repairs=reading.repairs))

    def _fresh(self) -> list[Segment]:
        fresh = self._said[self._new :]
        self._new = len(self._said)
        return fresh
