"""From [environment.retrieval] to a search: where vectors lie, and who looks a second time."""

import os

from trivium.config import ChromaConfig, RerankerConfig, RetrievalConfig
from trivium.episode import ConfigError
from trivium.retrieval import Corpus, CrossEncoder, ProgressCallback, Reranking, RerankServer, Search, open_client


def open_search(corpus: Corpus, config: RetrievalConfig, progress: ProgressCallback | None = None) -> Search:
    """The search over a chunked corpus. Raises ConfigError when what the recipe names is not there."""
    client = None if config.chroma is None else _client(config.chroma)
    reranking = None if config.reranker is None else _reranking(config.reranker)
    return Search.open(corpus, progress=progress, chroma=client, reranking=reranking)


def _client(config: ChromaConfig) -> object:
    headers = {}
    if config.key_env is not None:
        key = os.environ.get(config.key_env, "").strip()
        if not key:
            raise ConfigError(f"the environment variable {config.key_env} is not set; put the key of Chroma there")
        headers = {"X-Chroma-Token": key}
    return open_client(config.path, config.url, headers)


def _reranking(config: RerankerConfig) -> Reranking:
    if config.folder is not None:
        return Reranking(CrossEncoder(config.folder), config.candidates)
    assert config.url is not None
    assert config.model is not None
    from trivium.policy.remote import Endpoint

    endpoint = Endpoint.open(config.url, config.model, config.key_env)
    return Reranking(RerankServer(endpoint.url, endpoint.model, endpoint.headers), config.candidates)
