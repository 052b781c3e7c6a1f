"""The parser of all dialects that write a call as a block: text, an opening, a body, an end.

Always true: it never raises for what a model wrote; every letter is in exactly one stretch; the account is the same
for every cut of the stream. Inside a block nothing else opens; inside reasoning everything is reasoning. A closing
marker inside a JSON string ends its block only when no other end comes. Then no quote stands behind it (one would have
ended the string), so this happens once and a reply is read at most twice.
"""

from collections.abc import Iterable

import msgspec

from .account import StretchKind
from .dialect import Block, Dialect
from .ends import End, Verdict
from .lexer import Atom
from .reading import Reading, Rules
from .stream import Parser


class BlockParser(Parser):
    """Reads one reply in one dialect."""

    def __init__(self, dialect: Dialect, rules: Rules) -> None:
        super().__init__(dialect.markers)
        self._rules = rules
        self._blocks = {block.open: block for block in dialect.blocks}
        self._thoughts = dict(dialect.thoughts)
        self._markup = frozenset(dialect.markup)
        self._thought = dialect.thoughts[0][1] if rules.opened else ""
        self._block: Block | None = None
        self._scan: End | None = None
        self._body: list[Atom] = []
        self._maybe: int | None = None

    def _take(self, atom: Atom) -> None:
        if self._block is not None:
            self._inside(atom, self._block)
        elif self._thought:
            self._think(atom)
        else:
            self._outside(atom)

    def _end(self) -> None:
        if self._block is not None and self._maybe is not None:
            self._end_at(self._maybe, self._block)
        if self._block is not None:
            self._unclosed(self._block)

    def _outside(self, atom: Atom) -> None:
        if atom.mark and atom.text in self._blocks:
            self._block = self._blocks[atom.text]
            self._scan, self._body, self._maybe = self._block.end(), [atom], None
        elif atom.mark and atom.text in self._thoughts:
            self._thought = self._thoughts[atom.text]
            self._say(StretchKind.MARKUP, atom.text)
        else:
            self._say(StretchKind.MARKUP if atom.mark and atom.text in self._markup else StretchKind.TEXT, atom.text)

    def _think(self, atom: Atom) -> None:
        closes = atom.mark and atom.text == self._thought
        self._thought = "" if closes else self._thought
        self._say(StretchKind.MARKUP if closes else StretchKind.REASONING, atom.text)

    def _inside(self, atom: Atom, block: Block) -> None:
        assert self._scan is not None
        verdict, at = self._scan.step(atom)
        match verdict:
            case Verdict.DONE:
                self._close(block, atom.text[:at])
                self._take_all([Atom(atom.text[at:])] if atom.text[at:] else ())
            case Verdict.CUT:
                self._unclosed(block)
                self._outside(atom)
            case Verdict.NEVER:
                self._say(StretchKind.TEXT, self._taken())
                self._outside(atom)
            case Verdict.MAYBE | Verdict.MORE:
                if verdict is Verdict.MAYBE and self._maybe is None:
                    self._maybe = len(self._body)
                self._body.append(atom)

    def _take_all(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            self._take(atom)

    def _taken(self) -> str:
        raw = "".join(atom.text for atom in self._body)
        self._block, self._scan, self._body, self._maybe = None, None, [], None
        return raw

    def _close(self, block: Block, last: str) -> None:
        raw = self._taken() + last
        self._tell(raw, block.read(block.body(raw), self._rules))

    def _unclosed(self, block: Block) -> None:
        raw = self._taken()
        reading = block.read(block.body(raw), self._rules)
        if not block.to_the_end and reading.meant:
            shows = block.body(raw).lstrip()[:1] in ("{", "[")
            reading = _left_open(reading, block.open, repair=self._rules.lenient and shows)
        self._tell(raw, reading)

    def _end_at(self, maybe: int, block: Block) -> None:
        body, self._body = self._body, self._body[:maybe]
        self._close(block, body[maybe].text)
        self._take_all(body[maybe + 1 :])


def _left_open(reading: Reading, opening: str, repair: bool) -> Reading:
    """A block without an end is malformed; only complete JSON shows by itself that nothing is missing."""
    if repair and not reading.reason:
        return msgspec.structs.replace(reading, repairs=(*reading.repairs, "closed a block that was left open"))
    return Reading(reason=f"the block that {opening} opens is never closed")
