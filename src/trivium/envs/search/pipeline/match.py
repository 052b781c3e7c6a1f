"""Does a quote stand in a text? Models copy with small slips, so the question is asked ever more mildly.

verbatim -> white space as one space -> links as their words -> without punctuation and case
         -> the first 5 words longer than 3 letters, in order        (the cascade of Context-1's generator)
"""

import re
from collections.abc import Iterable, Iterator

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<https?://[^>]*>|https?://\S+")
_LONG, _NEEDED = 4, 5


def stands_in(quote: str, text: str) -> bool:
    """Whether any step of the cascade finds `quote` in `text`; an empty quote stands nowhere."""
    pairs = zip(_milder(quote), _milder(text), strict=True)
    if any(part and part in whole for part, whole in pairs):
        return True
    words = [word for word in plain(quote).split() if len(word) >= _LONG][:_NEEDED]
    return len(words) == _NEEDED and in_order(words, plain(text).split())


def spoken(name: str, text: str) -> bool:
    """Whether a name or a short truth stands in a text as whole words, whatever its case and punctuation."""
    words = plain(name)
    return bool(words) and f" {words} " in f" {plain(text)} "


def plain(text: str) -> str:
    """Words in lower case, with single spaces and no punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def in_order(words: Iterable[str], among: Iterable[str]) -> bool:
    """Whether `words` occur in `among` one after the other, with anything between them."""
    ahead = iter(among)
    return all(word in ahead for word in words)


def _milder(text: str) -> Iterator[str]:
    yield text.strip()
    yield " ".join(text.split())
    yield " ".join(_LINK.sub(r"\1", text).split())
    yield plain(text)
