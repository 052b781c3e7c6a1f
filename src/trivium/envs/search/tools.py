"""The tools of a search task: search, grep, read (Context-1 report; pruning is the harness's).

Always true: a search never returns a chunk that an earlier search of the episode returned, pruned or not; what a tool
returns is prunable and counts as met.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trivium.episode import Episode, Json, Tool, ToolContext, ToolResult, ToolSpec
from trivium.harness import in_thread, refusal
from trivium.retrieval import within

from .prompts import Form, description
from .results import ResultWriter

PARAMETERS = {"search_corpus": "query", "grep_corpus": "pattern", "read_document": "doc_id"}


def tool_spec(name: str, form: Form) -> ToolSpec:
    """The tool as the model sees it."""
    parameter = PARAMETERS[name]
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {parameter: {"type": "string"}},
        "required": [parameter],
    }
    return ToolSpec(name, description(form, name), schema)


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

    writer: ResultWriter
    spec: ToolSpec
    ordered: bool = True
    """A search excludes what the one before it returned."""

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Chunks for a query, best first."""
        query = _text(arguments, "query")
        if query is None:
            return refusal('search_corpus needs "query": a text')
        before = seen(context.episode)
        hits = self.writer.search.search(query, k=self.writer.shown.hits, exclude=frozenset(before))
        result = self.writer.show([hit.chunk for hit in hits], context)
        found = {piece.source for piece in result.pieces}
        for hit in hits:
            if hit.chunk.id in found:
                before.append(hit.chunk.id)
                surfaced(context.episode).setdefault(hit.chunk.document_id, query)
        return result


@dataclass(frozen=True, slots=True)
class GrepCorpus:
    """Regular expression over the text of chunks; not deduplicated."""

    writer: ResultWriter
    spec: ToolSpec
    ordered: bool = False

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Up to 5 chunks that match."""
        pattern = _text(arguments, "pattern")
        if pattern is None:
            return refusal('grep_corpus needs "pattern": a regular expression')
        found = await in_thread(self.writer.search.grep, pattern, limit=5)
        if found.problem:
            return refusal(found.problem)
        return self.writer.show(found.chunks, context)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """All chunks of a document that fit, ranked by the query that first surfaced it, in document order."""

    writer: ResultWriter
    spec: ToolSpec
    ordered: bool = False

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """The document behind a shown id."""
        shown = _text(arguments, "doc_id", "id", "chunk_id")
        if shown is None:
            return refusal('read_document needs "doc_id": an id that was shown')
        chunk_id = self.writer.presentation.chunk_id(shown.strip())
        if chunk_id is None:
            return refusal(f"there is no document {shown[:20]}")
        corpus = self.writer.presentation.corpus
        document = corpus.chunks[corpus.row_of[chunk_id]].document_id
        hits = self.writer.search.read(document, surfaced(context.episode).get(document, ""))
        fitting = within(hits, lambda chunk: context.count(self.writer.piece(chunk, context).text), context.max_tokens)
        return self.writer.show([hit.chunk for hit in fitting], context)


def search_tools(writer: ResultWriter, names: Sequence[str], form: Form) -> tuple[Tool, ...]:
    """The tools of these names, in this order, described in a form."""
    makers: dict[str, Callable[[ResultWriter, ToolSpec], Tool]] = {
        "search_corpus": SearchCorpus,
        "grep_corpus": GrepCorpus,
        "read_document": ReadDocument,
    }
    return tuple(makers[name](writer, tool_spec(name, form)) for name in names)
