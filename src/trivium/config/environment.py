"""[environment]: a corpus, the tasks over it, and what an agent sees of it."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from .retrieval import RetrievalConfig
from .section import Section

Hops: TypeAlias = Annotated[int, Field(ge=2, le=4)]


class CorpusConfig(Section):
    """[environment.corpus] What is searched."""

    kind: Literal["python", "folder", "beir"] = Field("python", description="Python's documentation, a folder, or BEIR")
    path: Path | None = Field(None, description="the folder, for `folder` and `beir`")
    chunk_tokens: int = Field(512, ge=8, description="a chunk is at most this many of the policy's tokens")
    brief: int | None = Field(None, ge=40, description="keep first sentences, to this many characters")

    @model_validator(mode="after")
    def _needs_path(self) -> "CorpusConfig":
        if self.kind != "python" and self.path is None:
            raise ValueError(f"a corpus of kind {self.kind} needs `path`")
        return self


class TasksConfig(Section):
    """[environment.tasks] What is asked."""

    kind: Literal["chains", "qrels"] = Field(
        "chains", description="`chains`: generated tasks that follow links; `qrels`: the data set's own questions"
    )
    hops: tuple[Hops, ...] = Field((2,), min_length=1, description="lengths of the chains, in equal shares")
    train: int = Field(1000, ge=1, description="at most this many training tasks")
    held_out: int = Field(240, ge=0, description="at most this many held-out tasks, over documents never trained on")
    held_out_share: float = Field(0.35, gt=0, lt=1, description="share of the documents kept for them")
    made_up: float = Field(0.0, ge=0, lt=1, description="share of the training tasks over disguised corpora")
    clues: int = Field(5, ge=1, description="clue words of the first document")
    variants: int = Field(1, ge=1, description="tasks that begin at one chunk at most, each with other clues")
    hits: int = Field(3, ge=1, description="a hop is solvable when its chunk is among this many hits")
    seed: int = Field(0, description="draws the tasks; apart from the run's seed, so that seeds share tasks")


class ShownConfig(Section):
    """[environment.shown] How results look to the model."""

    hits: int = Field(10, ge=1, description="chunks a search returns at most")
    cost: bool = Field(True, description="headers tell the tokens of their chunk")
    titles: bool = Field(True, description="chunks begin with their document's title")


class EnvironmentConfig(Section):
    """[environment] A corpus, the tasks over it, and what an agent sees of it."""

    corpus: CorpusConfig = CorpusConfig()
    tasks: TasksConfig = TasksConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    shown: ShownConfig = ShownConfig()
    tools: tuple[Literal["search_corpus", "grep_corpus", "read_document"], ...] = Field(
        ("search_corpus",), description="tools of the task; pruning belongs to [editing]"
    )
    prompt: Literal["full", "short"] = Field(
        "full",
        description="what the agent is told of its role, tools and pruning; short: a policy taught so (the embedded)",
    )
