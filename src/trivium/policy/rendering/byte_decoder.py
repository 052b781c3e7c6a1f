"""Decoding by table: the bytes of every token of a byte-level vocabulary, looked up and joined.

Always true: the text is that of `Tokenizer.decode`, without it. A byte-level vocabulary writes each byte as
one printable letter: those of Latin-1 that can be printed stand for themselves, the other 68 for U+0100 and up (Radford
et al. 2019). A token with any other letter (some added tokens) stands for its UTF-8 bytes.
"""

from collections.abc import Sequence

from tokenizers import Tokenizer

_PRINTED = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = tuple(byte for byte in range(256) if byte not in set(_PRINTED))
_BYTE_OF = {chr(byte): byte for byte in _PRINTED} | {chr(0x100 + at): byte for at, byte in enumerate(_HIDDEN)}


class ByteDecoder:
    """The bytes of the tokens of a tokenizer with a byte-level decoder; an id without a token has none."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        named = {at: token for token, at in tokenizer.get_vocab(with_added_tokens=True).items()}
        self._bytes = [_spelled(named.get(at, "")) for at in range(max(named, default=-1) + 1)]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens; bytes that are no UTF-8 become U+FFFD."""
        try:
            spelled = b"".join(map(self._bytes.__getitem__, tokens))
        except IndexError:
            spelled = b"".join(self._bytes[token] for token in tokens if token < len(self._bytes))
        return spelled.decode("utf-8", "replace")


def _spelled(token: str) -> bytes:
    found = [_BYTE_OF.get(letter) for letter in token]
    return token.encode() if None in found else bytes(byte for byte in found if byte is not None)
