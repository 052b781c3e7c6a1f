"""Corpora and search: what an agent looks things up in.

    load_folder, load_beir, load_stdlib      read      -> Corpus (Documents with links, and a LoadReport)
    split                                    chunk     -> Corpus (with Chunks)
    Search.open                              index     -> Search: search, grep, read
    within                                   what of it fits a token budget

The indices are `Lexical` (BM25) and `Dense` (`Lsa` of the corpus, or `Static` vectors of a model2vec model), fused by
`fuse`, and kept on disk by `Cache`. No torch, no network, no pickle, unless asked for: `open_client` (Chroma keeps the
vectors), `Reranking` (by a `CrossEncoder` or a `RerankServer`).

    corpus = split(load_stdlib(), count=lambda text: len(text.split()), limit=200)
    for hit in Search.open(corpus).search("turn an object into JSON", k=3):
        print(hit.chunk.id, hit.chunk.text)
"""

from .beir import Beir, Query, load_beir
from .cache import Cache
from .chroma import ChromaDense, open_client
from .chunking import chunk, split
from .dense import Dense, Embedder, Static
from .document import Chunk, Corpus, Document, ProgressCallback
from .folder import load_folder
from .fusion import fuse
from .grep import Grep, Matches
from .lexical import Lexical
from .lsa import Lsa
from .report import LoadReport, Note, Skip
from .rerank import CrossEncoder, Reranker, RerankServer
from .search import Hit, Reranking, Search, within
from .stdlib import load_stdlib

__all__ = [
    "Beir",
    "Cache",
    "ChromaDense",
    "Chunk",
    "Corpus",
    "CrossEncoder",
    "Dense",
    "Document",
    "Embedder",
    "Grep",
    "Hit",
    "Lexical",
    "LoadReport",
    "Lsa",
    "Matches",
    "Note",
    "ProgressCallback",
    "Query",
    "RerankServer",
    "Reranker",
    "Reranking",
    "Search",
    "Skip",
    "Static",
    "chunk",
    "fuse",
    "load_beir",
    "load_folder",
    "load_stdlib",
    "open_client",
    "split",
    "within",
]
