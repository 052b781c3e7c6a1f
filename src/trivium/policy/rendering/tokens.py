"""Sampled tokens into a parser.

Always true: a marker that is a control token of the tokenizer counts only when it was sampled as that token; the same
letters written out (copied from a page, say) are text. Letters whose bytes are spread over tokens wait for the last.
"""

from collections.abc import Sequence

from trivium.policy.parsing import Parsed, Parser, Stretch

from .codec import Codec

_UNFINISHED = "\ufffd"


class TokenReader:
    """Reads one reply from its tokens."""

    def __init__(self, codec: Codec, parser: Parser, stop_ids: frozenset[int]) -> None:
        self._codec = codec
        self._parser = parser
        self._stop_ids = stop_ids
        self._pending: list[int] = []
        self._stopped = False
        parser.seal(codec.controls.keys())

    def feed(self, tokens: Sequence[int], /) -> list[Stretch]:
        """Read more tokens; a stop token ends the reply, and nothing after it is read."""
        said: list[Stretch] = []
        for token in tokens:
            self._stopped = self._stopped or token in self._stop_ids
            if self._stopped:
                break
            literal = self._codec.literals.get(token)
            if literal is None:
                self._pending.append(token)
            else:
                said += self._release(last=True)
                said += self._parser.feed_control(literal)
        return said + self._release(last=False)

    def finish(self) -> list[Stretch]:
        """The reply is complete; the stretches that were still open."""
        return self._release(last=True) + self._parser.finish()

    @property
    def parsed(self) -> Parsed:
        """The account of all that was read so far."""
        return self._parser.parsed

    def _release(self, last: bool) -> list[Stretch]:
        if not self._pending:
            return []
        text = self._codec.decode(self._pending)
        if text.endswith(_UNFINISHED) and not last:
            return []
        self._pending.clear()
        return self._parser.feed(text)
