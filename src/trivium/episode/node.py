"""Nodes: the immutable pieces of everything an agent ever read or wrote.

Always true: a node never changes after it is in a tree. Only an *action* carries `sampled`; its first `lead` tokens
(the generation header, such as ``<|im_start|>assistant``) were written by the renderer, every later one was sampled and
has exactly one log-prob and one weights id. A copy (`copy_of`) re-attaches a node after an edit: it is read, never
trained.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from .message import Message

NodeId = int


class Kind(StrEnum):
    """Who wrote a node, and what for."""

    SYSTEM = "system"
    """The system prompt with the tools."""
    USER = "user"
    """A message of the user, or the task."""
    ACTION = "action"
    """Sampled by a policy: the only kind that is ever trained."""
    OBSERVATION = "observation"
    """The result of a tool call."""
    NOTICE = "notice"
    """A transient message of the harness: conditions one generation, then is part of no later context."""
    SUMMARY = "summary"
    """A self-written summary, re-attached as the start of a new context."""


class StopReason(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    """A stop token was sampled (it is the last token)."""
    LENGTH = "length"
    """The token cap was reached."""
    DEADLINE = "deadline"
    """Time ran out; the generation is partial and can be continued."""
    CANCELLED = "cancelled"
    """The caller cancelled; the generation is partial and can be continued."""


class Part(msgspec.Struct, frozen=True):
    """A removable span of a node: tokens[start:stop] show the chunk `source` under the id that the model sees."""

    id: str
    start: int
    stop: int
    source: str | None = None


class Versions(msgspec.Struct, frozen=True, omit_defaults=True):
    """The weights id of every sampled token, run-length encoded: token t was sampled under `ids[k]`, k by `counts`.

    `mixed[k]`: keys and values of older weights were read too (mode `keep_kv`), so no one set of weights gives the
    log-prob again. Empty: none was.
    """

    ids: tuple[str, ...]
    counts: tuple[int, ...]
    mixed: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.counts) or min(self.counts, default=1) < 1:
            raise ValueError(f"versions {self.ids} with counts {self.counts}: each id needs a count of at least 1")
        if len(self.mixed) not in (0, len(self.ids)):
            raise ValueError(f"versions {self.ids} with marks {self.mixed}: each id needs one, or none has one")

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def not_recomputable(self) -> int:
        """Tokens whose log-prob no one set of weights gives again."""
        return sum(count for count, mixed in zip(self.counts, self.mixed, strict=False) if mixed)

    def __iter__(self) -> Iterator[str]:
        return (weights_id for weights_id, _ in self.tokens())

    def tokens(self) -> Iterator[tuple[str, bool]]:
        """(weights id, mixed) of every token."""
        marks = self.mixed or (False,) * len(self.ids)
        for weights_id, mark, count in zip(self.ids, marks, self.counts, strict=True):
            for _ in range(count):
                yield weights_id, mark


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """Provenance of an action: who decided, under which weights, at which log-prob (nats, as sampled)."""

    policy: str
    role: str
    logprobs: tuple[float, ...]
    versions: Versions
    temperature: float
    seed: int
    stop: StopReason


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the context tree; `id` is its index in the tree, `end` the number of tokens from the root to here."""

    id: NodeId
    parent: NodeId | None
    kind: Kind
    tokens: tuple[int, ...]
    end: int
    lead: int = 0
    parts: tuple[Part, ...] = ()
    sampled: Sampled | None = None
    message: Message | None = None
    copy_of: NodeId | None = None

    @property
    def start(self) -> int:
        """Position of this node's first token in its context."""
        return self.end - len(self.tokens)

    @property
    def origin(self) -> NodeId:
        """The node this one shows: itself, or what it is a copy of."""
        return self.id if self.copy_of is None else self.copy_of

    @property
    def is_trainable(self) -> bool:
        """True for an action in the place where it was sampled."""
        return self.sampled is not None and self.copy_of is None
