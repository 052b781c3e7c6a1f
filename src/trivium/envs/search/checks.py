"""What the search engine itself says of a chain: ambiguous, unsolvable, or too easy."""

from collections.abc import Sequence

from trivium.retrieval import Corpus, Search

from .chain_text import content_words


class ChainChecks:
    """Checks over one index; a hop is found when its chunk is among `hits` results, a search shows `shown` at most."""

    def __init__(self, corpus: Corpus, search: Search, hits: int, shown: int) -> None:
        self.corpus, self.search, self.hits, self.shown = corpus, search, hits, shown
        self._holders: dict[str, set[int]] = {}
        for row, chunk in enumerate(corpus.chunks):
            for word in content_words(f"{chunk.title} {chunk.text}"):
                self._holders.setdefault(word, set()).add(row)

    def fits_another(self, words: Sequence[str], document: str) -> bool:
        """Whether a chunk of another document holds all of the words."""
        together = set.intersection(*(self._holders.get(word, set()) for word in words))
        return any(self.corpus.chunks[row].document_id != document for row in together)

    def unsolvable(self, chunks: Sequence[str], queries: Sequence[str]) -> str | None:
        """Why the queries, one after the other, do not find the chunks of these ids; None when they do."""
        seen: set[str] = set()
        for chunk, query in zip(chunks, queries, strict=True):
            seen |= {hit.chunk.id for hit in self.search.search(query, k=self.hits, exclude=frozenset(seen))}
            if chunk not in seen:
                return "a hop's own query does not find its chunk"
        return None

    def too_easy(self, last: str, queries: Sequence[str]) -> str | None:
        """Whether one of the queries alone finds the last document of a chain."""
        for query in queries:
            hits = self.search.search(query, k=max(self.hits, self.shown), exclude=frozenset())
            if last in {hit.chunk.document_id for hit in hits}:
                return "one query finds all of it"
        return None
