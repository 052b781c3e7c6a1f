"""Results of one episode: chunks become what the model sees.

Always true: a chunk is one part, with its header, so an edit removes both; results stop at the first that
would not fit, and where that is the very first, the agent is told so.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from trivium.config import ShownConfig
from trivium.episode import Piece, ToolContext, ToolResult
from trivium.retrieval import Chunk, Search

from .presentation import Presentation

NOTHING = ToolResult(pieces=(Piece("No results found\n"),))
NO_ROOM = ToolResult(pieces=(Piece("Results exist, but the first is longer than the room that is left\n"),))


@dataclass(frozen=True, slots=True)
class ResultWriter:
    """What the tools of one episode share."""

    search: Search
    presentation: Presentation
    shown: ShownConfig

    def show(self, chunks: Iterable[Chunk], context: ToolContext) -> ToolResult:
        """Chunks as parts, in order, until the first that would overflow the call's tokens."""
        pieces: list[Piece] = []
        left = context.max_tokens
        for chunk in chunks:
            piece = self.piece(chunk, context)
            left -= context.count(piece.text)
            if left < 0:
                return ToolResult(pieces=tuple(pieces)) if pieces else NO_ROOM
            pieces.append(piece)
        return ToolResult(pieces=tuple(pieces)) if pieces else NOTHING

    def piece(self, chunk: Chunk, context: ToolContext) -> Piece:
        """A chunk under its shown id."""
        text = f"{chunk.title}: {chunk.text}" if self.shown.titles else chunk.text
        shown = self.presentation.shown(chunk.id)
        cost = f" ({context.count(text)} tokens)" if self.shown.cost else ""
        return Piece(f"# DOCUMENT ID: {shown}{cost}\n{text}\n", id=shown, source=chunk.id)
