"""Indices that are built once: looked up by the content they depend on, else built and stored.

The key holds everything that the arrays follow from: the texts, the embedding model, and `FORMAT`, which is raised
when tokenisation, weights or layout change.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .cache import Arrays, Cache
from .chroma import ChromaDense
from .dense import Dense, Static
from .document import ProgressCallback, content_hash
from .lexical import Lexical
from .lsa import Lsa

FORMAT = "2"


def stored_lexical(texts: Sequence[str], cache: Cache, progress: ProgressCallback | None = None) -> Lexical:
    """The BM25 index of `texts`."""
    key = f"lexical-{content_hash([FORMAT, *texts])}"
    try:
        found = Lexical.restore(cache.load(key) or {})
        if found.postings.rows == len(texts):
            return found
    except (KeyError, ValueError):
        pass  # missing, or of another shape: built below
    _tell(progress, "lexical index", 0)
    index = Lexical.build(texts)
    cache.store(key, index.arrays())
    _tell(progress, "lexical index", 1)
    return index


def stored_dense(
    texts: Sequence[str], model: Path | None, cache: Cache, progress: ProgressCallback | None = None
) -> Dense:
    """The dense index of `texts`: by the model in the folder `model`, else by an LSA of the texts."""
    static = Static(model) if model else None
    key = f"dense-{content_hash([FORMAT, static.digest if static else 'lsa', *texts])}"
    try:
        found = _restore(cache.load(key) or {}, static)
        if len(found.vectors) == len(texts):
            return found
    except (KeyError, ValueError):
        pass  # missing, or of another shape: built below
    _tell(progress, "dense index", 0)
    embedder = static or Lsa.fit(texts)
    index = Dense.build(embedder, texts)
    cache.store(key, {"rows": index.vectors, **(embedder.arrays() if isinstance(embedder, Lsa) else {})})
    _tell(progress, "dense index", 1)
    return index


def chroma_dense(client: Any, dense: Dense) -> ChromaDense:
    """The same index in a collection of Chroma, named by its vectors."""
    digest = hashlib.blake2b(np.ascontiguousarray(dense.vectors).tobytes(), digest_size=16).hexdigest()
    return ChromaDense.build(client, f"trivium-{FORMAT}-{digest}", dense.embedder, dense.vectors)


def _restore(arrays: Arrays, static: Static | None) -> Dense:
    """The index behind `arrays`; KeyError or ValueError when they are not one."""
    return Dense(static or Lsa.restore(arrays), np.asarray(arrays["rows"], np.float32))


def _tell(progress: ProgressCallback | None, stage: str, done: int) -> None:
    if progress:
        progress(stage, done, 1)
