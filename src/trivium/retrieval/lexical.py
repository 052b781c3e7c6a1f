"""BM25 over chunks, exact and deterministic.

The score of a chunk d for a query q is Σ_w qf(w) · idf(w) · tf / (tf + k1·(1 − b + b·|d|/avg|d|)), with
idf(w) = ln(1 + (N − df + ½)/(df + ½)) (Robertson and Zaragoza 2009, in Lucene's form). Every posting's contribution is
computed at build time, so a query adds up a few posting lists. A row that shares no word is not found.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .postings import Postings, count_words
from .ranking import Ranking
from .words import words

K1 = 1.2
B = 0.75


class Lexical(Ranking):
    """A BM25 index; rows are positions in the list of texts it was built from."""

    def __init__(self, postings: Postings) -> None:
        self.postings = postings

    @classmethod
    def build(cls, texts: Sequence[str]) -> "Lexical":
        """The index of `texts`."""
        return cls(weigh(count_words(texts)))

    def scores(self, query: str) -> NDArray[np.float32]:
        """BM25 of every row for `query`, shape [rows]; 0 where no word is shared."""
        totals = np.zeros(self.postings.rows, np.float32)
        for word, times in Counter(words(query)).items():
            rows, weights = self.postings.of(word)
            totals[rows] += weights if times == 1 else times * weights
        return totals

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The index as plain arrays, for a cache."""
        return self.postings.arrays()

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Lexical":
        """The index that gave `arrays`; KeyError or ValueError when they are not one."""
        return cls(Postings.restore(arrays))


def weigh(counts: Postings) -> Postings:
    """BM25 contributions from word counts, per posting."""
    df = np.diff(counts.starts)
    idf = np.log1p((counts.rows - df + 0.5) / (df + 0.5))
    lengths = np.bincount(counts.row, weights=counts.value, minlength=counts.rows)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if counts.rows else 0.0, 1e-9))
    value = np.repeat(idf, df) * counts.value / (counts.value + norm[counts.row])
    return Postings(counts.vocabulary, counts.starts, counts.row, value.astype(np.float32), counts.rows)
