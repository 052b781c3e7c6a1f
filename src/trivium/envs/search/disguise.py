"""Real documents in disguise: every rarer word becomes one that does not exist, another one for every seed.

A small policy that is taught on a few thousand documents learns their words by heart and copies no others. In a
disguised corpus sentences, links and names keep their shape, but what they say can only be copied, so copying is what
is learned. Always true: one word has one disguise within a corpus, in whatever case and inside whatever name it
stands, and no two words share one; so a name is still found where it is mentioned.
"""

import random
import re
from collections import Counter
from collections.abc import Collection, Sequence

from trivium.envs.words import new_word
from trivium.retrieval import Corpus, Document

from .documents import corpus_without_outside_links

BLOCK = 12
"""Neighbours that are taken together: they speak of the same things, so the first hit is not always the right one."""
COMMON = 0.01
"""A word that stands in a larger share of the documents stays as it is."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def common_words(documents: Sequence[Document]) -> frozenset[str]:
    """Parts of words, in lower case, that stand in more than `COMMON` of the documents, and in more than two."""
    seen = Counter(part for item in documents for part in {match.lower() for match in _PART.findall(item.text)})
    return frozenset(part for part, times in seen.items() if times > max(2, COMMON * len(documents)))


def sample(documents: Sequence[Document], size: int, seed: int) -> list[Document]:
    """At least `size` documents where there are as many: blocks of neighbours, and what they link to."""
    known = {item.id: item for item in documents}
    blocks = [documents[start : start + BLOCK] for start in range(0, len(documents), BLOCK)]
    random.Random(seed).shuffle(blocks)
    chosen: dict[str, Document] = {}
    for block in blocks:
        if len(chosen) >= size:
            break
        for item in block:
            linked = (known[link] for link in item.links if link in known)
            chosen |= {document.id: document for document in (item, *linked)}
    return [item for item in documents if item.id in chosen]


def disguise(documents: Sequence[Document], common: Collection[str], pieces: Sequence[str], seed: int) -> Corpus:
    """The documents with every word part outside `common` replaced; `pieces` are what new words are glued from."""
    masks = Masks(common, pieces, seed)
    made = [
        Document(masks.text(item.id), masks.text(item.title), masks.text(item.text), tuple(map(masks.text, item.links)))
        for item in documents
    ]
    return corpus_without_outside_links(list({item.id: item for item in made}.values()))


class Masks:
    """What stands for each word part, drawn when it is first met."""

    def __init__(self, common: Collection[str], pieces: Sequence[str], seed: int) -> None:
        self._pieces, self._rng = pieces, random.Random(seed)
        self._of = {part: part for part in common}
        self._taken = set(common)

    def text(self, text: str) -> str:
        """`text` in disguise; parts of one letter stay."""
        return _PART.sub(lambda match: self._part(match.group()), text)

    def _part(self, part: str) -> str:
        if len(part) == 1:
            return part
        low = part.lower()
        if low not in self._of:
            self._of[low] = self._word(len(low))
        mask = self._of[low]
        return mask.upper() if part.isupper() else mask.capitalize() if part[0].isupper() else mask

    def _word(self, letters: int) -> str:
        """A new word of at least four letters, and of about as many as it hides."""
        word = new_word(self._pieces, self._rng, max(4, letters - 2))
        while word in self._taken:
            word += self._rng.choice(self._pieces)
        self._taken.add(word)
        return word
