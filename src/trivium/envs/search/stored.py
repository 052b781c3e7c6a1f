"""What an episode did, from its own record alone: no corpus, no presentation.

A part of an observation tells which chunk it shows, and a chunk's id which document it is of; the piece behind it has
the chunk's text. Two things stay dark: an id that was never shown (without the presentation nobody knows whether it
means a document), and a title where titles are not shown (an answer may stand in it).
"""

from trivium.episode import Episode
from trivium.reward import SearchRecord

from .environment import CITES
from .facts import answered, cited, gold, search_record


def stored_record(episode: Episode, *, titles: bool) -> SearchRecord | str:
    """What it met and returned; or why that cannot be told. `titles`: results were shown with their titles."""
    seen = [node for node in episode.tree.nodes if node.copy_of is None]
    documents = {p.id: _document(p.source) for node in seen for p in node.parts if p.source is not None}
    pieces = [piece for node in seen if node.message is not None for piece in node.message.pieces]
    texts = {piece.id: _text(piece.text) for piece in pieces if piece.id is not None}
    named = cited(episode.answer)[:CITES]
    if any(item not in documents or item not in texts for item in named):
        return "the answer cites an id that was never shown"
    found = answered(episode.task, ((documents[item], texts[item]) for item in named))
    output = tuple(dict.fromkeys(documents[item] for item in named))
    if not (found or titles or gold(episode.task).gold_ids.isdisjoint(output)):
        return "titles were not shown, and an answer may stand in one"
    return search_record(episode, met=frozenset(documents.values()), output=output, answered=found)


def _document(chunk: str) -> str:
    """The document of a chunk: ids of chunks are ``{document}_{index}``."""
    return chunk.rpartition("_")[0]


def _text(shown: str) -> str:
    """What a piece shows of its chunk, below the line with its id."""
    return shown.partition("\n")[2]
