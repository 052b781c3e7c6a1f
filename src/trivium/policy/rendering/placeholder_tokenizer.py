"""A placeholders: lets a foreign renderer lay out a message without seeing what anybody wrote in it.

The foreign renderer gets placeholders for every text, and this class in place of a tokenizer. When it asks for the
tokens of scaffold with placeholders, control literals of the scaffold become control tokens, and the texts are
written as text, piece by piece. Always true: no text reaches the foreign code, so none can steer it.

The span of a part travels through the foreign code as two negative numbers around its tokens, which `develop` takes
out again.
"""

import re
from collections.abc import Sequence
from typing import Any

from trivium.episode import Part, Piece

from .base import Rendered
from .codec import Codec
from .token_writer import TokenWriter

_PLACE = re.compile('(\ufdd0\\d+\ufdd1|"\ufdd2\\d+\ufdd1")')


class PlaceholderTokenizer:
    """One rendering through a foreign renderer."""

    name_or_path = ""
    unk_token_id = None

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._texts: list[tuple[Piece, ...]] = []
        self._parts: list[Part] = []
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
        """Tokens of scaffold with placeholders, marks of parts among them."""
        writer = TokenWriter(self._codec)
        for index, stretch in enumerate(_PLACE.split(text)):
            if index % 2:
                writer.pieces(self._texts[int(stretch.strip('\ufdd0\ufdd1\ufdd2"'))])
            else:
                self._scaffold(writer, stretch)
        return self._marked(writer.rendered())

    def decode(self, tokens: Sequence[int], **_: Any) -> str:
        """The text of tokens, without marks."""
        return self._codec.decode([token for token in tokens if token >= 0])

    def convert_tokens_to_ids(self, token: str) -> int | None:
        """The id of a control token."""
        return self._codec.controls.get(token)

    def develop(self, tokens: Sequence[int]) -> Rendered:
        """The tokens without marks, and the parts that the marks stood around."""
        clean: list[int] = []
        starts: dict[int, int] = {}
        parts: list[Part] = []
        for token in tokens:
            index, closing = divmod(-token - 1, 2)
            if token >= 0:
                clean.append(token)
            elif closing:
                part = self._parts[index]
                parts.append(Part(part.id, starts[index], len(clean), part.source))
            else:
                starts[index] = len(clean)
        return Rendered(tuple(clean), tuple(parts))

    def _scaffold(self, writer: TokenWriter, text: str) -> None:
        for index, stretch in enumerate(self._literals.split(text)):
            if index % 2:
                writer.control(self._codec.controls[stretch])
            else:
                writer.text(stretch)

    def _marked(self, rendered: Rendered) -> list[int]:
        marked: list[int] = []
        at = 0
        for part in rendered.parts:
            mark = -2 * len(self._parts) - 1
            marked += [*rendered.tokens[at : part.start], mark, *rendered.tokens[part.start : part.stop], mark - 1]
            at = part.stop
            self._parts.append(part)
        return marked + list(rendered.tokens[at:])
