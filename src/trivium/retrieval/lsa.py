"""Latent semantic analysis: the dense vectors that need no download.

A linear model of which words keep company *in this corpus*: a matrix X of rows x words, X = (1 + ln tf)·idf^2.5 with
rows of length one, is cut to its first 128 singular directions, X ≈ U S Vᵀ (Deerwester et al. 1990; randomised SVD of
Halko et al. 2011, fixed seed). A text x, chunk or query alike, becomes x V S^-½. It finds a chunk that says
"serialize" for a query that says "encode", if other chunks say both; it knows nothing of the world outside the
corpus, and nothing of the order of words.

The steep idf and the half-flattened spectrum keep rare names, which questions turn on, from drowning in the general
drift. Gold documents all in the top 10 on 2Wiki / HotpotQA dev / HotpotQA train / MuSiQue (100-164 questions each):
BM25 .52 .82 .80 .28; with this fused in .57 .90 .89 .34; with textbook weights (idf, S^0, words seen twice) .37 .86
.82 .18.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .postings import Postings, count_words
from .words import words

DIMS = 128
OVERSAMPLE = 16
PASSES = 2  # power iterations
IDF_POWER = 2.5
BLOCK = 1 << 16  # postings multiplied at a time: bounds memory to BLOCK x 144 floats

Matrix = NDArray[np.float32]


class Lsa:
    """An embedder fitted on a corpus: the sum of its words' vectors, `vectors` [words, dims]."""

    def __init__(self, vocabulary: tuple[str, ...], vectors: Matrix) -> None:
        self.vocabulary = vocabulary
        self.vectors = vectors

    @classmethod
    def fit(cls, texts: Sequence[str]) -> "Lsa":
        """The embedder of the company that words keep in `texts`; dims = 128, or fewer for a tiny corpus."""
        counts = count_words(texts)
        df = np.diff(counts.starts)
        idf = (np.log((1 + counts.rows) / (1 + df)) + 1) ** IDF_POWER
        value = (1 + np.log(counts.value)) * np.repeat(idf, df)
        length = np.sqrt(np.bincount(counts.row, weights=value**2, minlength=counts.rows))
        matrix = replace(counts, value=(value / length[counts.row]).astype(np.float32))
        directions, singular = right_singular(matrix)
        return cls(counts.vocabulary, (directions * singular**-0.5 * idf[:, None]).astype(np.float32))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: index for index, word in enumerate(self.vocabulary)}

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Vectors of `texts`, float32 [texts, dims], of length one, or zero where no word is known."""
        out = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for index, text in enumerate(texts):
            counts = Counter(words(text))
            known = [(self._ids[word], times) for word, times in counts.items() if word in self._ids]
            if known:
                ids, times = zip(*known, strict=True)
                weights = 1 + np.log(np.asarray(times, np.float32))
                out[index] = np.einsum("w,wd->d", weights, self.vectors[list(ids)])
        return unit(out)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """As plain arrays, for a cache."""
        return {"letters": np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8), "vectors": self.vectors}

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Lsa":
        """The embedder that gave `arrays`; KeyError or ValueError when they are not one."""
        vectors = arrays["vectors"].astype(np.float32)
        vocabulary = tuple(arrays["letters"].tobytes().decode().split("\n")) if len(vectors) else ()
        if vectors.ndim != 2 or len(vocabulary) != len(vectors):
            raise ValueError(f"the arrays of an LSA disagree: {len(vocabulary)} words, shape {vectors.shape}")
        return cls(vocabulary, vectors)


def unit(vectors: Matrix) -> Matrix:
    """Rows scaled to length one; a zero row stays zero."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(vectors / lengths, np.float32)


def right_singular(matrix: Postings) -> tuple[Matrix, Matrix]:
    """First right singular vectors [words, dims] and values [dims] of a rows x words matrix, dims <= 128."""
    word, row, value, size = matrix.word, matrix.row, matrix.value, len(matrix.vocabulary)
    by_row = np.argsort(row, kind="stable")
    wanted = min(DIMS + OVERSAMPLE, matrix.rows, size)
    basis = np.random.default_rng(0).standard_normal((size, wanted), dtype=np.float32)
    singular = np.zeros(wanted, np.float32)
    for _ in range(PASSES + 1):
        left, _scale = orthonormal(_product(row[by_row], word[by_row], value[by_row], basis, matrix.rows))
        basis, singular = orthonormal(_product(word, row, value, left, size))
    return basis[:, :DIMS], singular[:DIMS]


def orthonormal(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Left singular vectors and values of a tall matrix, largest first, directions without length left out.

    By the eigenvectors of its Gram matrix in float64: a few large products, where LAPACK's QR is thousands of small
    ones, which take a hundred times longer when BLAS threads outnumber free cores.
    """
    tall = matrix.astype(np.float64)
    power, turn = np.linalg.eigh(tall.T @ tall)
    keep = np.flatnonzero(power > 1e-10 * power.max(initial=0.0))[::-1]
    singular = np.sqrt(power[keep])
    return (tall @ (turn[:, keep] / singular)).astype(np.float32), singular.astype(np.float32)


def _product(out: NDArray[np.int64], into: NDArray[np.int64], value: Matrix, dense: Matrix, height: int) -> Matrix:
    """The sparse matrix (out, into, value), sorted by `out`, times `dense`: [height, dims], in bounded memory."""
    result = np.zeros((height, dense.shape[1]), np.float32)
    for start in range(0, len(out), BLOCK):
        part = slice(start, start + BLOCK)
        heads = np.flatnonzero(np.diff(out[part], prepend=-1))
        result[out[part][heads]] += np.add.reduceat(dense[into[part]] * value[part, None], heads, axis=0)
    return result
