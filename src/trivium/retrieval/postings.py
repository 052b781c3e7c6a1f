"""Posting lists: for each word the rows that hold it, with one number each.

A compressed sparse column matrix of rows x words in four arrays: the postings of word w lie at starts[w]:starts[w +
1], with rows ascending. A row occurs at most once in a list. Words are in the order of first occurrence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .words import words

NO_ROWS = np.empty(0, np.int64)
NO_VALUES = np.empty(0, np.float32)


@dataclass(frozen=True, eq=False)
class Postings:
    """`row` and `value` of every posting, grouped by word; `rows` is the number of rows of the matrix."""

    vocabulary: tuple[str, ...]
    starts: NDArray[np.int64]
    row: NDArray[np.int64]
    value: NDArray[np.float32]
    rows: int

    @cached_property
    def _slices(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]]:
        ends = self.starts.tolist()
        return {
            word: (self.row[start:end], self.value[start:end])
            for word, start, end in zip(self.vocabulary, ends[:-1], ends[1:], strict=True)
        }

    def of(self, word: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows and values of `word`; empty for an unknown one."""
        return self._slices.get(word, (NO_ROWS, NO_VALUES))

    @property
    def word(self) -> NDArray[np.int64]:
        """The word of every posting, as a position in `vocabulary`, shape [postings]."""
        return np.repeat(np.arange(len(self.vocabulary), dtype=np.int64), np.diff(self.starts))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """As plain arrays; the vocabulary is one UTF-8 text with a word a line."""
        letters = np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8)
        shape = np.array([self.rows, len(self.vocabulary)], np.int64)
        return {"letters": letters, "starts": self.starts, "row": self.row, "value": self.value, "shape": shape}

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Postings":
        """The postings that gave `arrays`; KeyError or ValueError when they are not such."""
        rows, size = (int(number) for number in arrays["shape"])
        text = arrays["letters"].tobytes().decode()
        vocabulary = tuple(text.split("\n")) if size else ()
        starts, row = arrays["starts"].astype(np.int64), arrays["row"].astype(np.int64)
        if len(vocabulary) != size or len(starts) != size + 1 or starts[-1] != len(row):
            raise ValueError(f"the arrays of a posting list disagree: {size} words, {len(starts)} starts")
        return cls(vocabulary, starts, row, arrays["value"].astype(np.float32), rows)


def count_words(texts: Sequence[str]) -> Postings:
    """How often each word occurs in each of `texts`."""
    ids: dict[str, int] = {}
    word: list[int] = []
    value: list[int] = []
    sizes: list[int] = []
    for text in texts:
        counts = Counter(words(text))
        word += [ids.setdefault(form, len(ids)) for form in counts]
        value += counts.values()
        sizes.append(len(counts))
    column = np.asarray(word, np.int64)
    order = np.argsort(column, kind="stable")
    row = np.repeat(np.arange(len(texts), dtype=np.int64), np.asarray(sizes, np.int64))
    starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=len(ids)))]).astype(np.int64)
    return Postings(tuple(ids), starts, row[order], np.asarray(value, np.float32)[order], len(texts))
