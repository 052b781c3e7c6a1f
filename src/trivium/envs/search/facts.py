"""Gold of a search task, as plain data in `Task.data`, and what an episode did, read from its tree.

A *fact* is a set of document ids any of which proves it; a fact counts once, whichever of them is found.
"""

import re
from collections.abc import Sequence

from trivium.episode import Episode, Json, Task
from trivium.retrieval import Corpus
from trivium.reward import SearchRecord

from .presentation import Presentation

_CITED = re.compile(r"<Document\s+id\s*=\s*\"?([^\s\"<>/]+)\"?\s*/?>")

_UNKNOWN = "\x00unknown "


def facts_data(facts: Sequence[Sequence[str]], answers: Sequence[str], extra: dict[str, Json]) -> dict[str, Json]:
    """`Task.data` of a search task."""
    return {"facts": [list(fact) for fact in facts], "answers": list(answers), **extra}


def gold(task: Task) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """(facts, documents that hold the answer) of a search task."""
    facts, answers = task.data["facts"], task.data["answers"]
    assert isinstance(facts, list)
    assert isinstance(answers, list)
    sets = tuple(frozenset(str(item) for item in fact) for fact in facts if isinstance(fact, list))
    return sets, frozenset(str(item) for item in answers)


def cited(answer: str) -> list[str]:
    """Shown ids that an answer cites, in order, each once."""
    return list(dict.fromkeys(_CITED.findall(answer)))


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


def search_record(episode: Episode, met: frozenset[str], output: tuple[str, ...]) -> SearchRecord:
    """What an episode did, as the reward sees it: documents met and returned, and the turns that its state tells."""
    prune_only = episode.main.state.get("prune_only", [])
    assert isinstance(prune_only, list)
    return SearchRecord(
        met=met,
        output=output,
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
