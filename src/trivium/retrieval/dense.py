"""Dense retrieval: cosine of vectors, by brute force over all rows.

An embedder turns texts into vectors of length one (or zero, which finds nothing and is never found). Up to some ten
thousand chunks an exact product costs less than walking a graph would. Two embedders are at hand: `Lsa`, fitted on
the corpus, and `Static`, a model2vec model in a local folder; anything with `encode` will do.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.episode import ConfigError

from .lsa import unit
from .ranking import Ranking

Vectors = NDArray[np.float32]
BATCH = 1024
BLAS_SERIAL = 8192  # elements of a matrix below which OpenBLAS multiplies in the calling thread


class Embedder(Protocol):
    """Turns texts into vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, float32 [texts, dims], of length one or zero."""
        ...


class Dense(Ranking):
    """Rows as vectors [rows, dims], with the embedder that made them."""

    def __init__(self, embedder: Embedder, vectors: Vectors) -> None:
        self.embedder = embedder
        self.vectors = vectors
        self._blocks = _blocks(vectors)

    @classmethod
    def build(cls, embedder: Embedder, texts: Sequence[str]) -> "Dense":
        """The index of `texts`."""
        parts = [embedder.encode(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return cls(embedder, np.concatenate(parts) if parts else embedder.encode([]))

    def scores(self, query: str) -> Vectors:
        """Cosine of every row with `query`, shape [rows]."""
        return np.asarray((self._blocks @ self.embedder.encode([query])[0]).ravel()[: len(self.vectors)], np.float32)


def _blocks(vectors: Vectors) -> Vectors:
    """`vectors` as [blocks, rows, dims], zero-padded, each block small enough for BLAS not to wake its threads.

    Waking them costs more than the product (p95 12 ms against 0.2 ms on a busy machine).
    """
    size, dims = vectors.shape
    rows = max(1, BLAS_SERIAL // max(dims, 1))
    count = -(-size // rows)
    padded = np.zeros((count * rows, dims), np.float32)
    padded[:size] = vectors
    return padded.reshape(count, rows, dims)


class Static:
    """A model2vec model from a local folder (the `dense` extra); nothing is downloaded.

    Raises ConfigError when model2vec is not installed, or the folder holds no model.
    """

    def __init__(self, folder: Path) -> None:
        weights = folder / "model.safetensors"
        if not weights.is_file():
            raise ConfigError(f"{folder} holds no model.safetensors; give the folder of a saved model2vec model")
        try:
            from model2vec import StaticModel
        except ImportError as error:
            raise ConfigError(
                f"the embedding model {folder} needs model2vec, which is not installed; pip install 'trivium[dense]'"
            ) from error
        self._model = StaticModel.from_pretrained(str(folder))
        self.digest = hashlib.blake2b(weights.read_bytes(), digest_size=16).hexdigest()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, float32 [texts, dims], of length one or zero."""
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        if not clean:
            return np.zeros((0, int(self._model.dim)), np.float32)
        return unit(np.asarray(self._model.encode(clean), np.float32))
