"""Documents, their chunks and the corpus that holds them.

A corpus is immutable. Document ids are unique in it; a chunk is `{document id}_{index}`, and the chunks of a document
are contiguous and in order. Equal content has an equal digest, whoever read it and from wherever.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import msgspec

from .report import LoadReport

ProgressCallback: TypeAlias = Callable[[str, int, int], None]
"""Called as `progress(stage, done, total)` during long work."""

NOTHING = LoadReport()


class Document(msgspec.Struct, frozen=True):
    """A text with a name; `links` are ids of other documents of the same corpus, in the order of mention."""

    id: str
    title: str
    text: str
    links: tuple[str, ...] = ()


class Chunk(msgspec.Struct, frozen=True):
    """The `index`-th piece of a document: what a search returns."""

    id: str
    document_id: str
    index: int
    text: str
    title: str


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, their chunks (none until `split`), and the report of the reader."""

    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...] = ()
    report: LoadReport = NOTHING

    @cached_property
    def digest(self) -> str:
        """Content hash over documents and chunks (32 hex digits)."""
        parts = (part for item in self.documents for part in (item.id, item.title, item.text, *item.links))
        return content_hash([*parts, *(part for piece in self.chunks for part in (piece.id, piece.text))])

    @cached_property
    def _documents(self) -> dict[str, Document]:
        return {item.id: item for item in self.documents}

    @cached_property
    def rows(self) -> dict[str, range]:
        """For each document id, the positions of its chunks in `chunks`."""
        rows: dict[str, range] = {}
        for row, piece in enumerate(self.chunks):
            rows[piece.document_id] = range(rows.get(piece.document_id, range(row, row)).start, row + 1)
        return rows

    @cached_property
    def row_of(self) -> dict[str, int]:
        """For each chunk id, its position in `chunks`."""
        return {piece.id: row for row, piece in enumerate(self.chunks)}

    def document(self, document_id: str) -> Document | None:
        """The document of that id, or None."""
        return self._documents.get(document_id)

    def chunks_of(self, document_id: str) -> Sequence[Chunk]:
        """The chunks of a document in order; empty for an unknown id."""
        rows = self.rows.get(document_id, range(0))
        return self.chunks[rows.start : rows.stop]


def content_hash(parts: Iterable[str]) -> str:
    """Hash of a sequence of strings in which moving a boundary changes the hash (32 hex digits)."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()
