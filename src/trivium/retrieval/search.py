"""Hybrid search over a corpus: the one object that the search tools hold.

A search asks the lexical and the dense index for the same number of candidates, fuses the two rankings, and returns
chunks best first. Chunks to exclude are excluded inside both indices, so others take their place. Any string is a
valid query; one that shares nothing with the corpus finds nothing. A `Search` is never changed after it is built, so
threads may share it.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec

from trivium.episode import DataError

from .cache import Cache
from .document import Chunk, Corpus, ProgressCallback
from .fusion import fuse
from .grep import LIMIT, Grep, Matches
from .lexical import Lexical
from .ranking import Ranking, Remembered, best
from .rerank import Reranker
from .stored import chroma_dense, stored_dense, stored_lexical

CANDIDATES = 25  # of each index, for up to 10 results; in proportion beyond
RESULTS = 10
READ_LIMIT = 300  # chunks
QUERY_LIMIT = 10_000  # characters that are looked at; an agent may write more


class Hit(msgspec.Struct, frozen=True):
    """A chunk and its fused score (higher is better; 0 for a chunk that a read returned unranked)."""

    chunk: Chunk
    score: float


class Reranking(msgspec.Struct, frozen=True):
    """A second look: `reranker` orders the best `candidates` of a search, and no others are returned."""

    reranker: Reranker
    candidates: int = CANDIDATES


class Search:
    """Search, grep and read over one chunked corpus. Raises DataError when it has no chunks."""

    def __init__(self, corpus: Corpus, lexical: Lexical, dense: Ranking, reranking: Reranking | None = None) -> None:
        self.corpus = corpus
        self.lexical = lexical
        self.dense = dense
        self._reranking = reranking
        rows = len(corpus.chunks)
        self._rankings = [Remembered(one, rows) if one.remembers else one for one in (lexical, dense)]
        self._grep = Grep(corpus.chunks)

    @classmethod
    def open(
        cls,
        corpus: Corpus,
        model: Path | None = None,
        cache: Cache | None = None,
        progress: ProgressCallback | None = None,
        *,
        chroma: Any = None,
        reranking: Reranking | None = None,
    ) -> "Search":
        """Indices of `corpus`, from `cache` where it has them.

        `model` is the folder of a model2vec model; without it the dense side is an LSA of the corpus itself. `chroma`:
        a client (`open_client`) in whose collections the vectors are kept and searched. `reranking`: a second look at
        the candidates.

        Raises DataError when the corpus has no chunks, ConfigError when `model` cannot be loaded.
        """
        if not corpus.chunks:
            raise DataError(f"the corpus of {len(corpus.documents)} documents has no chunks; call split(corpus, ...)")
        store = cache or Cache()
        texts = [f"{piece.title}\n{piece.text}" for piece in corpus.chunks]
        lexical = stored_lexical(texts, store, progress)
        dense = stored_dense(texts, model, store, progress)
        kept = dense if chroma is None else chroma_dense(chroma, dense)
        return cls(corpus, lexical, kept, reranking)

    def search(self, query: str, k: int = RESULTS, exclude: Collection[str] = ()) -> list[Hit]:
        """The best `k` chunks for `query`, best first, ties by chunk id; none of those whose ids are in `exclude`."""
        query = query[:QUERY_LIMIT]
        row_of, chunks = self.corpus.row_of, self.corpus.chunks
        hidden = [row_of[chunk_id] for chunk_id in exclude if chunk_id in row_of]
        count = max(CANDIDATES, CANDIDATES * k // RESULTS)
        fused = fuse(*([chunks[row].id for row in ranking.top(query, count, hidden)] for ranking in self._rankings))
        hits = [Hit(chunks[row_of[chunk_id]], score) for chunk_id, score in fused]
        return self._ordered(query, hits)[: max(k, 0)]

    def _ordered(self, query: str, hits: list[Hit]) -> list[Hit]:
        """The candidates in the order of the reranker, where there is one; ties by chunk id."""
        if self._reranking is None or not hits or not query.strip():
            return hits
        asked = hits[: self._reranking.candidates]
        scores = self._reranking.reranker.scores(query, [f"{hit.chunk.title}\n{hit.chunk.text}" for hit in asked])
        scored = [Hit(hit.chunk, score) for hit, score in zip(asked, scores, strict=True)]
        return sorted(scored, key=lambda hit: (-hit.score, hit.chunk.id))

    def grep(self, pattern: str, limit: int = LIMIT) -> Matches:
        """Chunks whose text matches a regular expression; see `Grep.search`."""
        return self._grep.search(pattern, limit)

    def read(self, document_id: str, query: str = "", limit: int = READ_LIMIT) -> list[Hit]:
        """The `limit` best chunks of a document for `query`, in document order; empty for an unknown id.

        The id of one of its chunks stands for the document. Without a query the first `limit` chunks are returned.
        """
        rows = self.corpus.rows.get(self.owner(document_id), range(0))
        if not query.strip():
            return [Hit(self.corpus.chunks[row], 0.0) for row in rows[:limit]]
        ranked = (best(ranking.within(query[:QUERY_LIMIT], rows), len(rows), 0.0) for ranking in self._rankings)
        score = dict(fuse(*ranked))
        kept = sorted(range(len(rows)), key=lambda place: (-score.get(place, 0.0), place))[:limit]
        return [Hit(self.corpus.chunks[rows.start + place], score.get(place, 0.0)) for place in sorted(kept)]

    def owner(self, any_id: str) -> str:
        """The document id that `any_id` (of a document or of a chunk) stands for; `any_id` itself when unknown."""
        row = self.corpus.row_of.get(any_id)
        known = any_id in self.corpus.rows or row is None
        return any_id if known or row is None else self.corpus.chunks[row].document_id

    def close(self) -> None:
        """Ends the helper process of `grep`, if one runs."""
        self._grep.close()


def within(hits: Sequence[Hit], cost: Callable[[Chunk], int], budget: int) -> list[Hit]:
    """The hits that fit a budget, in the given order: taken by score until the first that would overflow it."""
    kept: set[str] = set()
    for hit in sorted(hits, key=lambda hit: -hit.score):
        budget -= cost(hit.chunk)
        if budget < 0:
            break
        kept.add(hit.chunk.id)
    return [hit for hit in hits if hit.chunk.id in kept]
