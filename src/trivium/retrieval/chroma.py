"""Dense retrieval by a Chroma collection: the vectors lie there, in a folder or behind a server (extra `chroma`).

Vectors are made here, as for the index in memory; Chroma keeps them and finds their neighbours. Always true: a
collection is named by the content it was made of, so it is never stale, and is filled only as far as it is not; what
goes wrong there is a ToolError, so it is never the agent's mistake. Chroma's telemetry and embedding models stay off.
"""

import importlib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from trivium.episode import ConfigError, ToolError

from .dense import Embedder, Vectors
from .ranking import Ranking, Scores

T = TypeVar("T")


def open_client(path: Path | None = None, url: str | None = None, headers: dict[str, str] | None = None) -> Any:
    """A client of a folder, or of a server. Raises ConfigError when the package or the server is not there."""
    if (path is None) == (url is None):
        raise ConfigError("a Chroma client needs a path or a url, and not both; set environment.retrieval.chroma.path")
    package = _package()
    settings = package.config.Settings(anonymized_telemetry=False)
    try:
        if path is not None:
            return package.PersistentClient(str(path), settings=settings)
        parts = urlsplit(url or "")
        return package.HttpClient(
            host=parts.hostname or "",
            port=parts.port or (443 if parts.scheme == "https" else 8000),
            ssl=parts.scheme == "https",
            headers=headers or {},
            settings=settings,
        )
    except Exception as error:  # the boundary: whatever the package raises
        raise ConfigError(
            f"Chroma at {path or url} cannot be opened ({error}); give a folder of its own, or a server that runs"
        ) from error


class ChromaDense(Ranking):
    """Cosine of vectors in a collection, whose record `row` is the chunk of that row."""

    remembers = False

    def __init__(self, collection: Any, embedder: Embedder, rows: int) -> None:
        self.collection, self.embedder, self.rows = collection, embedder, rows

    @classmethod
    def build(cls, client: Any, name: str, embedder: Embedder, vectors: Vectors) -> "ChromaDense":
        """The index of `vectors` in the collection `name`, filled from where it stands. Raises ToolError."""

        def fill() -> Any:
            found = client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
            step = client.get_max_batch_size()
            for start in range(found.count(), len(vectors), step):
                part = vectors[start : start + step]
                found.upsert(ids=[str(start + place) for place in range(len(part))], embeddings=part)
            return found

        return cls(_asked(name, fill), embedder, len(vectors))

    def scores(self, query: str) -> Scores:
        """The cosine of every row with `query`, exactly."""
        return self.within(query, range(self.rows))

    def within(self, query: str, rows: range) -> Scores:
        """The cosines of some rows, exactly: their vectors are fetched."""
        ids = [str(row) for row in rows]
        found = self._ask(lambda: self.collection.get(ids=ids, include=["embeddings"]))
        vector = self.embedder.encode([query])[0]
        by_row = dict(zip(map(int, found["ids"]), np.asarray(found["embeddings"], np.float32), strict=True))
        nothing = np.zeros_like(vector)
        return np.asarray([by_row.get(row, nothing) @ vector for row in rows], np.float32)

    def top(self, query: str, k: int, exclude: Collection[int] = ()) -> list[int]:
        """The best `k` rows that are found and not excluded, as Chroma's graph finds them; ties by row."""
        vector = self.embedder.encode([query])[0]
        count = min(self.rows, k + len(exclude))
        if count <= 0 or not vector.any():
            return []
        found = self._ask(
            lambda: self.collection.query(query_embeddings=[vector], n_results=count, include=["distances"])
        )
        hidden = frozenset(exclude)
        pairs = zip(map(int, found["ids"][0]), found["distances"][0], strict=True)
        near = sorted((distance, row) for row, distance in pairs if distance < 1.0 and row not in hidden)
        return [row for _, row in near[:k]]

    def _ask(self, question: Callable[[], T]) -> T:
        return _asked(self.collection.name, question)


def _asked(name: str, question: Callable[[], T]) -> T:
    try:
        return question()
    except Exception as error:  # the boundary: whatever Chroma raises, and it raises ValueError when a server is gone
        raise ToolError(f"the Chroma collection {name} does not answer ({type(error).__name__}: {error})") from error


def _package() -> Any:
    try:
        return importlib.import_module("chromadb")
    except ImportError as error:
        raise ConfigError(f"a Chroma collection needs chromadb ({error}); run pip install 'trivium[chroma]'") from error
