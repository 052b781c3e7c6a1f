"""Ids as the model sees them: drawn anew for every group, so that they cannot be learned by heart (SID-1; H20).

Always true: within one presentation the map is one-to-one; the members of a group share it, so their prompts and results
can be compared; scoring goes back through it.
"""

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from trivium.retrieval import Corpus


class Presentation:
    """Shown id <-> chunk, for one seed: numbers of an even count of digits (4 up to 10,000 chunks)."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus = corpus
        self.seed = seed
        self.digits = digits_for(len(corpus.chunks))

    def shown(self, chunk_id: str) -> str:
        """The id under which a chunk is shown."""
        return f"{self._numbers[self.corpus.row_of[chunk_id]]:0{self.digits}d}"

    def chunk_id(self, shown: str) -> str | None:
        """The chunk behind a shown id, or None."""
        if not shown.isascii() or not shown.isdigit() or len(shown) != self.digits:
            return None
        row = self._rows.get(int(shown))
        return None if row is None else self.corpus.chunks[row].id

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        return _draw(self.seed, len(self.corpus.chunks), self.digits)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {int(number): row for row, number in enumerate(self._numbers)}


def digits_for(count: int) -> int:
    """Even number of digits that gives `count` chunks room."""
    digits = 4
    while 10**digits < count:
        digits += 2
    return digits


@lru_cache(maxsize=32)
def _draw(seed: int, count: int, digits: int) -> NDArray[np.int64]:
    space = np.random.default_rng(seed).permutation(10**digits) if digits <= 6 else None
    if space is None:
        return np.random.default_rng(seed).choice(10**digits, size=count, replace=False)
    return space[:count]
