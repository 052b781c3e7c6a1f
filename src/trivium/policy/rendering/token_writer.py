"""A writer: what a renderer writes on, one message at a time.

Always true: control tokens come from `control`, never from text; a piece with an id is tokenised apart and its span is
recorded; every other piece is a run of its own, and only scaffold written directly before the first or directly after
the last piece shares a run with it, as in the chat template.
"""

from collections.abc import Sequence

from trivium.episode import Part, Piece

from .base import Rendered
from .codec import Codec


class TokenWriter:
    """Collects control tokens, scaffold and pieces; `rendered()` gives the tokens and the parts."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._tokens: list[int] = []
        self._parts: list[Part] = []
        self._run = ""

    def control(self, token: int) -> None:
        """Write a control token."""
        self.cut()
        self._tokens.append(token)

    def text(self, text: str) -> None:
        """Write plain text; it joins the run before it."""
        self._run += text

    def pieces(self, pieces: Sequence[Piece]) -> None:
        """Write the pieces of a message, each a run of its own."""
        for index, piece in enumerate(pieces):
            if index or piece.id is not None:
                self.cut()
            self._run += piece.text
            if piece.id is not None:
                start = len(self._tokens)
                self.cut()
                self._parts.append(Part(piece.id, start, len(self._tokens), piece.source))

    def cut(self) -> None:
        """End the run: text written later is tokenised apart."""
        if self._run:
            self._tokens += self._codec.encode(self._run)
            self._run = ""

    def rendered(self) -> Rendered:
        """All that was written."""
        self.cut()
        return Rendered(tuple(self._tokens), tuple(self._parts))
