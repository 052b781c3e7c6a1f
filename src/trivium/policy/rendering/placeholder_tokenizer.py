"""A placeholders: lets a foreign renderer lay out a message without seeing what anybody wrote in it.

The foreign renderer gets placeholders for every text, and this class in place of a tokenizer. What it takes for tokens
are the ids of control tokens, and *cells*: negative numbers that stand for stretches of scaffold and placeholders.
`develop` writes them out: control literals of the scaffold as control tokens, texts as text, piece by piece. Always
true: no text reaches the foreign code, so none can steer it.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from trivium.episode import Piece

from .base import Rendered
from .codec import Codec
from .token_writer import TokenWriter

_PLACE = re.compile('(\ufdd0\\d+\ufdd1|"\ufdd2\\d+\ufdd1")')
Cell: TypeAlias = tuple[str | tuple[Piece, ...], ...]


class PlaceholderTokenizer:
    """One rendering through a foreign renderer. `spelled`: its control tokens that this tokenizer writes as text."""

    name_or_path = ""
    unk_token_id = None

    def __init__(self, codec: Codec, spelled: Sequence[str] = ()) -> None:
        self._codec = codec
        self._texts: list[tuple[Piece, ...]] = []
        self._cells: list[Cell] = []
        self._spelled = {literal: self._cell((literal,)) for literal in spelled if literal not in codec.controls}
        literals = sorted(codec.controls, key=len, reverse=True)
        self._literals = re.compile(f"({'|'.join(map(re.escape, literals))})")
        self.eos_token_id = codec.controls.get("<|im_end|>")

    def place(self, *pieces: Piece) -> str:
        """A placeholder for `pieces`; nothing for no pieces."""
        self._texts.append(pieces)
        return f"\ufdd0{len(self._texts) - 1}\ufdd1" if pieces else ""

    def place_json(self, text: str) -> str:
        """A placeholder for JSON, which the foreign renderer will write as a JSON string."""
        self._texts.append((Piece(text),))
        return f"\ufdd2{len(self._texts) - 1}\ufdd1"

    def encode(self, text: str, **_: Any) -> list[int]:
        """Control tokens and cells of scaffold with placeholders."""
        cells: list[int] = []
        for index, stretch in enumerate(self._literals.split(text)):
            if index % 2:
                cells.append(self._codec.controls[stretch])
            elif stretch:
                cells.append(self._cell(self._items(stretch)))
        return cells

    def decode(self, tokens: Sequence[int], **_: Any) -> str:
        """The text of control tokens; what cells say is not shown."""
        return self._codec.decode([token for token in tokens if token >= 0])

    def convert_tokens_to_ids(self, token: str) -> int | None:
        """The id of a control token, or the cell of one that is spelled."""
        return self._codec.controls.get(token, self._spelled.get(token))

    def says(self, token: int, text: str) -> bool:
        """Whether `token` is a cell of exactly this scaffold."""
        return token < 0 and self._cells[-token - 1] == (text,)

    def develop(self, tokens: Sequence[int]) -> Rendered:
        """The tokens of cells and control tokens, with the parts of their pieces.

        Cells are tokenised apart, as the foreign renderer asked for them, but for those around a spelled token.
        """
        writer = TokenWriter(self._codec)
        joined = True
        for token in tokens:
            if token >= 0:
                writer.control(token)
                continue
            spelled = token in self._spelled.values()
            if not (spelled or joined):
                writer.cut()
            joined = spelled
            for item in self._cells[-token - 1]:
                if isinstance(item, str):
                    writer.text(item)
                else:
                    writer.pieces(item)
        return writer.rendered()

    def _cell(self, items: Cell) -> int:
        self._cells.append(items)
        return -len(self._cells)

    def _items(self, text: str) -> Cell:
        stretches = enumerate(_PLACE.split(text))
        return tuple(
            self._texts[int(stretch.strip('\ufdd0\ufdd1\ufdd2"'))] if index % 2 else stretch
            for index, stretch in stretches
            if stretch
        )
