"""Reranking: a second look at the candidates of a search, by a model that reads query and text at once. Off by default.

    CrossEncoder     a sequence classifier of transformers, from a local folder; its one logit is the score
    RerankServer     a server with a ``/rerank`` route, as Jina, Cohere, vLLM and others serve it

Always true: a reranker orders what a search found and adds nothing; what a server does wrong is a ToolError.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from trivium.episode import ConfigError, ToolError

BATCH = 32


class Reranker(Protocol):
    """Scores texts for a query."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, higher is better. Raises ToolError."""
        ...


class CrossEncoder:
    """A classifier with one label over pairs of query and text. Raises ConfigError for a folder that holds none."""

    def __init__(self, folder: Path, limit: int = 512) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        if not (folder / "config.json").is_file():
            raise ConfigError(
                f"there is no model in {folder}; give environment.retrieval.reranker.folder a cross-encoder"
            )
        try:
            self._model = AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
            self._tokenizer = AutoTokenizer.from_pretrained(str(folder))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{folder} cannot be read as a cross-encoder ({str(error).splitlines()[0]})") from error
        if self._model.config.num_labels != 1:
            raise ConfigError(f"{folder} has {self._model.config.num_labels} labels; a cross-encoder has one score")
        self._limit = limit

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One logit for each text."""
        import torch

        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            some = list(texts[start : start + BATCH])
            told = self._tokenizer(
                [query] * len(some), some, padding=True, truncation="longest_first", max_length=self._limit,
                return_tensors="pt",
            )  # fmt: skip
            with torch.inference_mode():
                found += self._model(**told).logits[:, 0].float().tolist()
        return found


class RerankServer:
    """A server that scores. Raises ConfigError when httpx is not installed (extra `remote`)."""

    def __init__(self, url: str, model: str, headers: Mapping[str, str] | None = None, seconds: float = 30.0) -> None:
        try:
            import httpx
        except ImportError as error:
            raise ConfigError(f"a rerank server needs httpx ({error}); run pip install 'trivium[remote]'") from error
        self.url, self.model = f"{url.rstrip('/')}/rerank", model
        self._client = httpx.Client(headers=dict(headers or {}), timeout=seconds)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The server's relevance of each text."""
        asked = {"model": self.model, "query": query, "documents": list(texts), "top_n": len(texts)}
        try:
            reply = self._client.post(self.url, json=asked)
            reply.raise_for_status()
            return _in_order(reply.json(), len(texts))
        except Exception as error:  # the boundary: whatever a connection or an answer does wrong
            raise ToolError(f"the rerank server {self.url} did not score ({type(error).__name__}: {error})") from error


def _in_order(reply: Any, count: int) -> list[float]:
    """The scores in the order of the texts. Raises ValueError when one is missing."""
    scores = {int(item["index"]): float(item["relevance_score"]) for item in reply["results"]}
    if scores.keys() != set(range(count)):
        raise ValueError(f"{len(scores)} scores for {count} texts")
    return [scores[place] for place in range(count)]
