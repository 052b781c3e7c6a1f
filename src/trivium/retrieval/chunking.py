"""Chunking: documents become pieces that a model can afford to read.

No chunk counts more than the limit, no two overlap, and the chunks of a document, read in order, hold all its words.
A text that is too long is halved at the best boundary near its middle (paragraph, else sentence, else word, else any
character), and so are the halves. Counting is the cost: a text that fits is counted once, and a piece that is clearly
too long by its parent's count is halved without being counted, unless that would cut a word. Of a word so long that
nobody wrote it (a blob in one line) only what is likely to fit is counted.
"""

import re
from collections.abc import Callable, Iterator

from trivium.episode import ConfigError

from .document import Chunk, Corpus, Document, ProgressCallback

PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
WORD = re.compile(r"\s+")
STOP = re.compile("[。！？]")  # the only boundary inside a word
CLEARLY_LONG = 2.0  # times the limit, by the parent's tokens per character
BLOB, SAMPLE = 1 << 16, 1 << 12  # characters: a longer word is a blob; its density is that of a sample


def chunk(document: Document, count: Callable[[str], int], limit: int) -> list[Chunk]:
    """The chunks of `document`, each of at most `limit` by `count` (tokens, or whatever it counts).

    Raises ConfigError when the limit is below 1, or a single character of the text counts more than it.
    """
    if limit < 1:
        raise ConfigError(f"the chunk limit is {limit}; set it to at least 1 (512 tokens is usual)")
    pieces = _halve(document.text.strip(), count, limit)
    return [
        Chunk(f"{document.id}_{index}", document.id, index, piece, document.title) for index, piece in enumerate(pieces)
    ]


def split(corpus: Corpus, count: Callable[[str], int], limit: int, progress: ProgressCallback | None = None) -> Corpus:
    """The same corpus with its documents chunked; errors as in `chunk`."""
    chunks: list[Chunk] = []
    for done, document in enumerate(corpus.documents):
        chunks += chunk(document, count, limit)
        if progress and (done % 256 == 0 or done + 1 == len(corpus.documents)):
            progress("chunk", done + 1, len(corpus.documents))
    return Corpus(corpus.documents, tuple(chunks), corpus.report)


def _halve(
    text: str, count: Callable[[str], int], limit: int, estimate: float = 0.0, *, blob: bool = False
) -> Iterator[str]:
    """Pieces of a stripped `text`; `estimate` is its count by its parent's density, 0 when unknown.

    `blob`: it was cut out of one.
    """
    if not text:
        return
    word = blob or not WORD.search(text)
    if word and len(text) > BLOB:
        blob, estimate = True, estimate or count(text[:SAMPLE]) * len(text) / SAMPLE
    size, fits = estimate, estimate <= (limit if blob else CLEARLY_LONG * limit)
    if fits or (word and not blob):
        size = count(text)
        if size <= limit:
            yield text
            return
    if len(text) == 1:
        raise ConfigError(f"the chunk limit {limit} is below the count of the character {text!r}; raise the limit")
    density, cut = size / len(text), _boundary(text, word)
    for half in (text[:cut].rstrip(), text[cut:].lstrip()):
        yield from _halve(half, count, limit, density * len(half), blob=blob)


def _boundary(text: str, word: bool) -> int:
    """Where to halve: the boundary nearest to the middle, of the best kind that has one in the middle half."""
    low, high = len(text) // 4, len(text) - len(text) // 4
    if word:
        return _nearest(STOP, text, low, high) or len(text) // 2
    for kind in (PARAGRAPH, SENTENCE, WORD):
        cut = _nearest(kind, text, low, high)
        if cut:
            return cut
    return _nearest(WORD, text, 1, len(text) - 1) or len(text) // 2


def _nearest(kind: re.Pattern[str], text: str, low: int, high: int) -> int:
    """End of the match of `kind` nearest to the middle of `text` with low <= end <= high, or 0."""
    middle, best = len(text) // 2, -len(text)
    for match in kind.finditer(text, max(low - 1, 0), high):
        if low <= match.end() and abs(match.end() - middle) < abs(best - middle):
            best = match.end()
        elif match.end() > middle:
            break
    return max(best, 0)
