"""Ids as the model sees them: drawn anew for every group, so that they cannot be learned by heart (SID-1).

Always true: within one presentation the map is one-to-one; the members of a group share it, so their prompts and
results can be compared; scoring goes back through it.
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
        return f"{self._drawn[0][self.corpus.row_of[chunk_id]]:0{self.digits}d}"

    def chunk_id(self, shown: str) -> str | None:
        """The chunk behind a shown id, or None."""
        if not shown.isascii() or not shown.isdigit() or len(shown) != self.digits:
            return None
        numbers, order = self._drawn
        place = int(np.searchsorted(numbers, int(shown), sorter=order))
        if place == len(order) or numbers[order[place]] != int(shown):
            return None
        return self.corpus.chunks[int(order[place])].id

    @cached_property
    def _drawn(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _draw(self.seed, len(self.corpus.chunks), self.digits)


def digits_for(count: int) -> int:
    """Even number of digits that gives `count` chunks room."""
    digits = 4
    while 10**digits < count:
        digits += 2
    return digits


@lru_cache(maxsize=128)
def _draw(seed: int, count: int, digits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each row, and the rows in the order of their numbers; groups in flight find theirs again."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10_000)[:count] if digits == 4 else rng.choice(10**digits, size=count, replace=False)
    return numbers, np.argsort(numbers)
