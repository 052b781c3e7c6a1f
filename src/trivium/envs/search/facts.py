"""Gold of a search task, as plain data in `Task.data`, and what an episode did, read from its tree.

A *fact* is a set of document ids any of which proves it; a fact counts once, whichever of them is found.
"""

import re
from collections.abc import Iterable, Sequence

from trivium.episode import Episode, Json, Task
from trivium.retrieval import Chunk, Corpus
from trivium.reward import SearchFacts, SearchRecord

from .presentation import Presentation

_CITED = re.compile(r"<Document\s+id\s*=\s*\"?([^\s\"<>/]+)\"?\s*/?>")

_UNKNOWN = "\x00unknown "


def facts_data(facts: Sequence[Sequence[str]], answers: Sequence[str], extra: dict[str, Json]) -> dict[str, Json]:
    """`Task.data` of a search task; `answers` are texts, any of which answers the question (none: none is known)."""
    return {"facts": [list(fact) for fact in facts], "answers": list(answers), **extra}


def gold(task: Task) -> SearchFacts:
    """The facts of a search task."""
    facts = task.data["facts"]
    assert isinstance(facts, list)
    return SearchFacts(tuple(frozenset(str(item) for item in fact) for fact in facts if isinstance(fact, list)))


def answers(task: Task, chunks: Iterable[Chunk]) -> bool:
    """Whether one of these chunks is gold and holds an answer of the task."""
    return answered(task, ((chunk.document_id, f"{chunk.title}: {chunk.text}") for chunk in chunks))


def answered(task: Task, texts: Iterable[tuple[str, str]]) -> bool:
    """The same of (document, text of a chunk with its title)."""
    known = task.data["answers"]
    assert isinstance(known, list)
    golden = gold(task).gold_ids
    return any(holds(text, str(answer)) for document, text in texts if document in golden for answer in known)


def holds(text: str, answer: str) -> bool:
    """Whether an answer stands in a text as whole words, in whatever case."""
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE) is not None


def cited(answer: str) -> list[str]:
    """Shown ids that an answer cites, in order, each once."""
    return list(dict.fromkeys(_CITED.findall(answer)))


def cited_chunks(answer: str, presentation: Presentation, limit: int) -> list[Chunk]:
    """Chunks behind the first `limit` cited ids."""
    found = (presentation.chunk_id(shown) for shown in cited(answer)[:limit])
    corpus = presentation.corpus
    return [corpus.chunks[corpus.row_of[chunk]] for chunk in found if chunk is not None]


def cited_documents(answer: str, presentation: Presentation, limit: int) -> tuple[str, ...]:
    """Documents behind the first `limit` cited ids. An id that shows nothing costs precision and is never gold.

    It is kept under a name that no document has: a model that cites a document by its own name was never shown it so.
    """
    documents = []
    for shown in cited(answer)[:limit]:
        chunk_id = presentation.chunk_id(shown)
        documents.append(f"{_UNKNOWN}{shown}" if chunk_id is None else document_of(chunk_id, presentation.corpus))
    return tuple(dict.fromkeys(documents))


def document_of(chunk_id: str, corpus: Corpus) -> str:
    """The document that a chunk belongs to."""
    return corpus.chunks[corpus.row_of[chunk_id]].document_id


def search_record(episode: Episode, *, met: frozenset[str], output: tuple[str, ...], answered: bool) -> SearchRecord:
    """What an episode did, as the reward sees it: what it met and returned, and the turns that its state tells."""
    prune_only = episode.main.state.get("prune_only", [])
    assert isinstance(prune_only, list)
    return SearchRecord(
        met=met,
        output=output,
        answered=answered,
        turns=episode.main.turns,
        prune_only=tuple(bool(turn) for turn in prune_only),
        malformed=episode.broken_calls,
    )


def met(episode: Episode, corpus: Corpus) -> frozenset[str]:
    """Documents of which any chunk was ever shown, pruned or not."""
    return frozenset(
        document_of(part.source, corpus)
        for node in episode.tree.nodes
        if node.copy_of is None
        for part in node.parts
        if part.source is not None
    )
