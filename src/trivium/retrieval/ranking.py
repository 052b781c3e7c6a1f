"""Ranking rows by their scores: what the lexical and the dense index share.

Excluded rows leave *before* the top k is taken, so others take their place; ties are in row order.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
REMEMBERED = 1 << 24
"""Bytes of scores that an index keeps of its last queries: the members of a group ask much the same."""


class Ranking(ABC):
    """Scores every row for a query."""

    remembers = True
    """Whether its scores of all rows are worth keeping (`Remembered`)."""

    @abstractmethod
    def scores(self, query: str) -> Scores:
        """The score of every row for `query`, shape [rows], not to be written to; 0 or less: not found."""

    def within(self, query: str, rows: range) -> Scores:
        """The scores of some rows."""
        return self.scores(query)[rows.start : rows.stop]

    def top(self, query: str, k: int, exclude: Collection[int] = ()) -> list[int]:
        """The best `k` rows that are found and not excluded, best first, ties by row."""
        scores = self.scores(query)
        if exclude:
            scores = scores.copy()
            scores[np.fromiter(exclude, np.int64, len(exclude))] = 0.0
        return best(scores, k, above=0.0)


class Remembered(Ranking):
    """A ranking of `rows` rows that keeps its scores of the last queries, `REMEMBERED` bytes of them."""

    def __init__(self, ranking: Ranking, rows: int) -> None:
        self._made_from = (ranking, rows)
        self._scores = lru_cache(REMEMBERED // (4 * max(rows, 1)))(ranking.scores)

    def __reduce__(self) -> tuple[type["Remembered"], tuple[Ranking, int]]:
        return Remembered, self._made_from  # a pickle takes no memory along

    def scores(self, query: str) -> Scores:
        """The score of every row for `query`, shape [rows]."""
        return self._scores(query)


def best(scores: Scores, k: int, above: float) -> list[int]:
    """Rows of the `k` highest scores above `above`, highest first, ties by row."""
    rows = np.flatnonzero(scores > above)
    if k <= 0 or not len(rows):
        return []
    values = scores[rows]
    if k < len(rows):
        keep = values >= np.partition(values, len(rows) - k)[len(rows) - k]
        rows, values = rows[keep], values[keep]
    ranked: list[int] = rows[np.argsort(-values, kind="stable")[:k]].tolist()
    return ranked
