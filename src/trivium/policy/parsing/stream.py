"""What every parser of a reply shares: text or control tokens in, stretches out, one account at the end."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

from .account import Parsed, Stretch, StretchKind, account
from .lexer import Atom, Lexer
from .reading import Reading


class Parser(ABC):
    """Reads one reply. A dialect says what to do with an atom, and with what is open at the end."""

    def __init__(self, markers: Iterable[str]) -> None:
        self.markers = frozenset(markers)
        self._lexer = Lexer(self.markers)
        self._said: list[Stretch] = []
        self._new = 0

    def seal(self, controls: Collection[str]) -> None:
        """Take these markers only from `feed_control`: where they are control tokens, text that spells them is text."""
        self._lexer = Lexer(self.markers.difference(controls))

    def feed(self, text: str, /) -> list[Stretch]:
        """Read more text; the stretches that became certain."""
        for atom in self._lexer.feed(text):
            self._take(atom)
        return self._fresh()

    def feed_control(self, literal: str, /) -> list[Stretch]:
        """Read a control token: a marker for sure, or text that no marker can be part of."""
        for atom in self._lexer.flush():
            self._take(atom)
        self._take(Atom(literal, mark=literal in self.markers, sure=True))
        return self._fresh()

    def finish(self) -> list[Stretch]:
        """The reply is complete; the stretches that were still open."""
        for atom in self._lexer.flush():
            self._take(atom)
        self._end()
        return self._fresh()

    @property
    def parsed(self) -> Parsed:
        """The account of all stretches so far."""
        return account(self._said)

    @abstractmethod
    def _take(self, atom: Atom) -> None:
        """Read one atom."""

    @abstractmethod
    def _end(self) -> None:
        """Decide about what is still open."""

    def _say(self, kind: StretchKind, raw: str) -> None:
        if raw:
            self._said.append(Stretch(kind, raw))

    def _tell(self, raw: str, reading: Reading) -> None:
        if not reading.meant:
            self._say(StretchKind.TEXT, raw)
        elif reading.reason:
            self._said.append(Stretch(StretchKind.MALFORMED, raw, reason=reading.reason))
        else:
            self._said.append(Stretch(StretchKind.CALL, raw, reading.calls, repairs=reading.repairs))

    def _fresh(self) -> list[Stretch]:
        fresh = self._said[self._new :]
        self._new = len(self._said)
        return fresh
