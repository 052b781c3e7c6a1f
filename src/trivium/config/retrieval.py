"""[environment.retrieval]: how the corpus is searched."""

from pathlib import Path

from pydantic import Field, field_validator, model_validator

from .section import Section, is_variable


class ChromaConfig(Section):
    """[environment.retrieval.chroma] Chunk vectors lie in a Chroma collection instead of memory (extra `chroma`)."""

    path: Path | None = Field(None, description="a folder of Chroma's own (PersistentClient)")
    url: str | None = Field(None, description="or a server, such as http://127.0.0.1:8000 (HttpClient)")
    key_env: str | None = Field(None, description="environment variable with the server's key (X-Chroma-Token)")

    _names_a_variable = field_validator("key_env")(is_variable)

    @model_validator(mode="after")
    def _is_one_place(self) -> "ChromaConfig":
        if (self.path is None) == (self.url is None):
            raise ValueError("it needs `path` or `url`, and not both")
        if self.key_env and self.url is None:
            raise ValueError("nothing reads key_env of a folder; remove it")
        return self


class RerankerConfig(Section):
    """[environment.retrieval.reranker] A second look at the candidates of a search; unset: none."""

    folder: Path | None = Field(None, description="a cross-encoder of transformers, with one label")
    url: str | None = Field(None, description="or a server with a /rerank route, such as http://127.0.0.1:8000/v1")
    model: str | None = Field(None, description="the model's name on that server")
    key_env: str | None = Field(None, description="environment variable with the server's key")
    candidates: int = Field(25, ge=1, description="hits of a search that it orders; the others are dropped")

    _names_a_variable = field_validator("key_env")(is_variable)

    @model_validator(mode="after")
    def _is_one(self) -> "RerankerConfig":
        if (self.folder is None) == (self.url is None):
            raise ValueError("it needs `folder` or `url`, and not both")
        if self.url is not None and self.model is None:
            raise ValueError("a server needs `model`")
        if self.folder is not None and (self.model or self.key_env):
            raise ValueError("nothing reads model or key_env of a folder; remove them")
        return self


class RetrievalConfig(Section):
    """[environment.retrieval] How the corpus is searched, beyond BM25 and dense vectors in memory."""

    chroma: ChromaConfig | None = Field(None, description="unset: vectors in memory")
    reranker: RerankerConfig | None = Field(None, description="unset: none")
