"""A task on its way: what is asked, and the chain of chunks that answers it."""

from collections.abc import Sequence

import msgspec

from trivium.retrieval import Corpus, Document


class Hop(msgspec.Struct, frozen=True):
    """One gold chunk. `query` finds it: the clues for the first, then the words in the chunk before that name it."""

    document: str
    chunk: str
    query: str
    quotes: tuple[str, ...]
    """What the task rests on, verbatim in the chunk."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its chain; `truth` stands in the last chunk."""

    id: str
    clues: str
    question: str
    truth: str
    hops: tuple[Hop, ...]
    distractors: tuple[str, ...] = ()
    """Ids of documents that fit the clues and hold no truth."""

    @property
    def truths(self) -> tuple[str, ...]:
        """The truth of every hop: what it leads to, and at last the truth itself."""
        return (*(hop.query for hop in self.hops[1:]), self.truth)


def written(document: Document) -> str:
    """Everything that a document says."""
    return f"{document.title}\n{document.text}"


def chunk_texts(item: Item, corpus: Corpus) -> list[str]:
    """The text of every gold chunk, in order; empty for a chunk that the corpus does not have."""
    rows: Sequence[int | None] = [corpus.row_of.get(hop.chunk) for hop in item.hops]
    return ["" if row is None else corpus.chunks[row].text for row in rows]
