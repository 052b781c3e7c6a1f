"""The half of a renderer that reads, and counts: the same for every family, but for the dialect of its calls."""

from collections.abc import Sequence

from trivium.episode import ToolSpec
from trivium.policy.parsing import Parsed, parser

from .base import Stream
from .codec import Codec
from .tokens import TokenReader


class ReplyReader:
    """Reads replies in one dialect, strict."""

    dialect = "hermes"
    parallel = True
    opened = False
    """A reply begins inside what the generation header opened: a thought (in harmony, a header)."""

    def __init__(self, codec: Codec, stop_ids: frozenset[int]) -> None:
        self.codec = codec
        self.stop_ids = stop_ids

    def parse(self, tokens: Sequence[int], /, *, tools: Sequence[ToolSpec] = ()) -> Parsed:
        """What sampled tokens say. Never raises; a stop token at the end is not part of the text."""
        reader = self.token_stream(tools)
        reader.feed(tokens)
        reader.finish()
        return reader.parsed

    def stream(self) -> Stream:
        """A parser for a reply that arrives as text."""
        return parser(self.dialect, opened=self.opened)

    def token_stream(self, tools: Sequence[ToolSpec] = ()) -> TokenReader:
        """A parser for a reply that arrives as tokens."""
        return TokenReader(self.codec, parser(self.dialect, tools=tools, opened=self.opened), self.stop_ids)

    def count(self, text: str, /) -> int:
        """Length of plain text, tokenised apart, in tokens."""
        return len(self.codec.encode(text))

    def encode_text(self, text: str, /) -> tuple[int, ...]:
        """Tokens of plain text; control literals in it stay text."""
        return self.codec.encode(text)

    def decode(self, tokens: Sequence[int], /) -> str:
        """The text of tokens, control tokens spelled out."""
        return self.codec.decode(tokens)
