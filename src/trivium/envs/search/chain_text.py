"""How chains read a text: the name of a document in it, a quote of it, its words."""

import re

from trivium.retrieval import Chunk

_WORD = re.compile(r"[A-Za-z]{4,}")


def name_in(chunk: Chunk, title: str) -> str | None:
    """The longest dotted tail of a title (`a.b.c`, `b.c`, `c`) that stands in the chunk as a whole name, or None."""
    tail = title
    while tail:
        if re.search(rf"(?<![\w.]){re.escape(tail)}(?!\w)", chunk.text):
            return tail
        _, _, tail = tail.partition(".")
    return None


def quote(chunk: Chunk) -> str | None:
    """The first 4 to 8 words of a chunk, verbatim, as the truth to be found; None for a chunk too short to have one."""
    match = re.match(r"\s*(?:\S+\s+){3,7}\S+", chunk.text)
    return match.group().strip() if match else None


def content_words(text: str) -> list[str]:
    """Words of four letters or more, in order, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]
