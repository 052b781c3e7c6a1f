"""The tools of a search task: search, grep, read (Context-1, R section 2.1-2.2; pruning is the harness's).

Always true: a chunk is one part, with its header, so an edit removes both; a search never returns a chunk that an
earlier search of the episode returned, pruned or not; results stop at the first chunk that would not fit.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from trivium.episode import Episode, Json, Piece, Tool, ToolContext, ToolResult, ToolSpec
from trivium.harness.tool import refusal
from trivium.retrieval import Chunk, Search, within

from .presentation import Presentation

NOTHING = ToolResult(pieces=(Piece("No results found\n"),))


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """How results look."""

    hits: int = 10
    """At most this many chunks a call."""
    cost: bool = True
    """Whether a header tells its chunk's tokens."""
    titles: bool = True
    """Whether a chunk begins with its document's title."""
    grep_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools of one episode share."""

    search: Search
    presentation: Presentation
    shown: Shown

    def show(self, chunks: Iterable[Chunk], context: ToolContext) -> ToolResult:
        """Chunks as parts, in order, until the first that would overflow the call's tokens."""
        pieces: list[Piece] = []
        left = context.max_tokens
        for chunk in chunks:
            piece = self.piece(chunk, context)
            left -= context.count(piece.text)
            if left < 0 or len(pieces) == self.shown.hits:
                break
            pieces.append(piece)
        return ToolResult(pieces=tuple(pieces)) if pieces else NOTHING

    def piece(self, chunk: Chunk, context: ToolContext) -> Piece:
        """A chunk under its shown id."""
        text = f"{chunk.title}: {chunk.text}" if self.shown.titles else chunk.text
        shown = self.presentation.shown(chunk.id)
        cost = f" ({context.count(text)} tokens)" if self.shown.cost else ""
        return Piece(f"# DOCUMENT ID: {shown}{cost}\n{text}\n", id=shown, source=chunk.id)


def _spec(name: str, parameter: str) -> ToolSpec:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {parameter: {"type": "string"}},
        "required": [parameter],
    }
    return ToolSpec(name, "", schema)


def _text(arguments: dict[str, Json], *names: str) -> str | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return None


def seen(episode: Episode) -> list[str]:
    """Chunk ids that searches of this episode returned, in order."""
    ids = episode.state.setdefault("seen", [])
    assert isinstance(ids, list)
    return ids  # type: ignore[return-value]


def surfaced(episode: Episode) -> dict[str, str]:
    """For each document, the query that surfaced it first."""
    queries = episode.state.setdefault("surfaced", {})
    assert isinstance(queries, dict)
    return queries  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class SearchCorpus:
    """Hybrid search, without what was returned before."""

    desk: Desk
    spec: ToolSpec = _spec("search_corpus", "query")

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Chunks for a query, best first."""
        query = _text(arguments, "query")
        if query is None:
            return refusal('search_corpus needs "query": a text')
        before = seen(context.episode)
        hits = self.desk.search.search(query, k=self.desk.shown.hits, exclude=frozenset(before))
        result = self.desk.show([hit.chunk for hit in hits], context)
        found = {piece.source for piece in result.pieces}
        for hit in hits:
            if hit.chunk.id in found:
                before.append(hit.chunk.id)
                surfaced(context.episode).setdefault(hit.chunk.document_id, query)
        return result


@dataclass(frozen=True, slots=True)
class GrepCorpus:
    """Regular expression over the text of chunks; not deduplicated (R)."""

    desk: Desk
    spec: ToolSpec = _spec("grep_corpus", "pattern")

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Up to 5 chunks that match."""
        pattern = _text(arguments, "pattern")
        if pattern is None:
            return refusal('grep_corpus needs "pattern": a regular expression')
        found = self.desk.search.grep(pattern, limit=5, timeout_s=self.desk.shown.grep_seconds)
        if found.problem:
            return refusal(found.problem)
        return self.desk.show(found.chunks, context)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """All chunks of a document that fit, ranked by the query that first surfaced it, in document order."""

    desk: Desk
    spec: ToolSpec = _spec("read_document", "doc_id")

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """The document behind a shown id."""
        shown = _text(arguments, "doc_id", "id", "chunk_id")
        if shown is None:
            return refusal('read_document needs "doc_id": an id that was shown')
        chunk_id = self.desk.presentation.chunk_id(shown.strip())
        if chunk_id is None:
            return refusal(f"there is no document {shown[:20]}")
        corpus = self.desk.presentation.corpus
        document = corpus.chunks[corpus.row_of[chunk_id]].document_id
        hits = self.desk.search.read(document, surfaced(context.episode).get(document, ""))
        fitting = within(hits, lambda chunk: context.count(self.desk.piece(chunk, context).text), context.max_tokens)
        return self.desk.show([hit.chunk for hit in fitting], context)


def search_tools(desk: Desk, names: Sequence[str]) -> tuple[Tool, ...]:
    """The tools of these names, in this order."""
    makers: dict[str, Callable[[Desk], Tool]] = {
        "search_corpus": SearchCorpus,
        "grep_corpus": GrepCorpus,
        "read_document": ReadDocument,
    }
    return tuple(makers[name](desk) for name in names)
