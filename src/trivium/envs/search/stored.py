"""What an episode did, from its own record alone: no corpus, no presentation.

A part of an observation tells which chunk it shows, and a chunk's id which document it is of. Only an id that was never
shown stays dark: without the presentation nobody knows whether it means a document.
"""

from trivium.episode import Episode
from trivium.reward import SearchFacts, SearchRecord

from .environment import CITES
from .facts import cited, gold, search_record


def stored_facts(episode: Episode) -> SearchFacts:
    """The truth of its task."""
    return SearchFacts(*gold(episode.task))


def stored_record(episode: Episode) -> SearchRecord | None:
    """What it met and returned; None when it cites an id that it was never shown."""
    parts = [part for node in episode.tree.nodes if node.copy_of is None for part in node.parts]
    shown = {part.id: _document(part.source) for part in parts if part.source is not None}
    named = cited(episode.answer)[:CITES]
    if any(item not in shown for item in named):
        return None
    output = tuple(dict.fromkeys(shown[item] for item in named))
    return search_record(episode, frozenset(shown.values()), output)


def _document(chunk: str) -> str:
    """The document of a chunk: ids of chunks are ``{document}_{index}``."""
    return chunk.rpartition("_")[0]
