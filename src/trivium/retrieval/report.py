"""What reading a corpus skipped or repaired, and why.

Nothing that a reader leaves out is left out in silence: every case has a kind, every kind has one sentence, and the
sentence says how often it happened and where it happened first. A reader counts in a `Tally` and hands out a frozen
`LoadReport`.
"""

from enum import StrEnum

import msgspec

EXAMPLES = 3


class Skip(StrEnum):
    """The kinds; the value is the sentence, of which `{n}` is the count."""

    BROKEN_UTF8 = "{n} place(s) held bytes that are not UTF-8, which were read as replacement characters"
    EMPTY = "{n} document(s) without any text were skipped"
    LONG_LINE = "{n} line(s) or file(s) above the size limit were skipped"
    DUPLICATE_ID = "{n} document(s) repeated an id that was already taken and were skipped; the first one stays"
    BAD_JSON = "{n} line(s) that are not a JSON object were skipped"
    MISSING_FIELD = "{n} record(s) lacked a needed column or had the wrong type in it and were skipped"
    DANGLING_QREL = "{n} judgement(s) named a query or document that does not exist and were dropped"
    QUERY_WITHOUT_QREL = "{n} query(ies) have no judgement and stay without gold documents"
    BINARY = "{n} binary file(s) were skipped"
    UNSUPPORTED = "{n} file(s) of a type that is not read were skipped"
    UNREADABLE = "{n} file(s) could not be opened or parsed and were skipped"
    UNDOCUMENTED = "{n} public name(s) have no docstring of three words or more and were skipped"


class Note(msgspec.Struct, frozen=True):
    """One kind of skip: how often, and the first places."""

    kind: Skip
    count: int
    where: tuple[str, ...]

    @property
    def line(self) -> str:
        """The sentence for people."""
        places = f" (first: {', '.join(self.where)})" if self.where else ""
        return f"{self.kind.value.format(n=self.count)}{places}."


class LoadReport(msgspec.Struct, frozen=True):
    """How many documents a reader kept, and one note per kind of thing that it did not."""

    documents: int = 0
    notes: tuple[Note, ...] = ()

    def lines(self) -> list[str]:
        """One sentence for the whole, then one per kind."""
        return [f"{self.documents} document(s) were read.", *(note.line for note in self.notes)]

    def count(self, kind: Skip) -> int:
        """How often `kind` happened."""
        return sum(note.count for note in self.notes if note.kind is kind)


class Tally:
    """Counts while a reader reads."""

    def __init__(self) -> None:
        self._counts: dict[Skip, int] = {}
        self._where: dict[Skip, list[str]] = {}

    def note(self, kind: Skip, where: str) -> None:
        """Counts one case of `kind`, met at `where`."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        places = self._where.setdefault(kind, [])
        if len(places) < EXAMPLES:
            places.append(where)

    def report(self, documents: int) -> LoadReport:
        """What was counted, frozen, for a corpus of `documents` documents."""
        notes = (Note(kind, self._counts[kind], tuple(self._where[kind])) for kind in Skip if kind in self._counts)
        return LoadReport(documents, tuple(notes))
