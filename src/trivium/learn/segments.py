"""Segments: the training rows of an episode, cut from its context tree.

Always true: every sampled token of the learner's policy is trained in exactly one row, and what stands before it in
that row is exactly what it was conditioned on. A row is the path from a root to an action below which nothing more is
trained; actions on one path share a row. So an episode without an edit is one row, and every edit or transient notice
that was followed by another action adds one. Copies (`copy_of`) are read and not trained.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from trivium.episode import DataError, Episode, Node, NodeId, Sampled, Tree

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Span:
    """The trained tokens [start, stop) of one action `node` in its row."""

    node: NodeId
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Segment:
    """One row. `mask_T[t]` says that token t is trained: predicted from tokens 0..t-1, at `temperature_T[t]`.

    `behaviour_T` holds the log-prob (nats) at which a trained token was sampled, and 0 elsewhere.
    """

    episode: str
    tokens_T: Ints
    mask_T: Bools
    behaviour_T: Floats
    temperature_T: Floats
    spans: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return len(self.tokens_T)

    @property
    def trained(self) -> int:
        """Number of trained tokens."""
        return int(self.mask_T.sum())

    def where(self, position: int) -> str:
        """The place of a token in words, for an error."""
        node = next((span.node for span in self.spans if span.start <= position < span.stop), None)
        return f"token {position} of a row of episode {self.episode}" + ("" if node is None else f" (node {node})")


@dataclass(frozen=True)
class Cut:
    """The rows of an episode, and how many sampled tokens each reason kept out of them."""

    segments: tuple[Segment, ...]
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def trained(self) -> int:
        """Number of trained tokens."""
        return sum(segment.trained for segment in self.segments)


def cut(episode: Episode, policy: str | None, *, exact: bool = True) -> Cut:
    """Cut an episode into rows for the learner of `policy` (None: of whatever policy, for supervised learning).

    `exact` requires finite log-probs and a temperature above 0 of every trained action; without it (supervised
    learning) both are ignored: behaviour 0, temperature 1. Linear in the tree and the rows. Raises DataError naming
    the node.
    """
    skipped: Counter[str] = Counter()
    chosen = {node.id for node in episode.tree.actions() if _is_trained(node, policy, skipped)}
    if exact:
        for node_id in sorted(chosen):
            _require_exact(episode, episode.tree.nodes[node_id])
    rows = []
    for tip in _tips(episode.tree, chosen):
        path = episode.tree.path(tip)
        rows.append(_row(episode.id, path, chosen, exact))
        chosen.difference_update(node.id for node in path)
    return Cut(tuple(rows), dict(skipped))


def _is_trained(node: Node, policy: str | None, skipped: Counter[str]) -> bool:
    assert node.sampled is not None
    own = len(node.sampled.logprobs)
    if policy is not None and node.sampled.policy != policy:
        skipped[f"other policy: {node.sampled.policy}"] += own
        return False
    if own and node.start + node.lead == 0:
        skipped["first token of a context"] += 1
        return own > 1
    return own > 0


def _require_exact(episode: Episode, node: Node) -> None:
    sampled = node.sampled
    assert sampled is not None
    if not sampled.temperature > 0:
        raise DataError(
            f"node {node.id} of episode {episode.id} was sampled at temperature {sampled.temperature}: "
            "its log-probs are not those of a softmax; train on samples of a temperature above 0"
        )
    for offset, logprob in enumerate(sampled.logprobs):
        if not math.isfinite(logprob):
            raise DataError(
                f"node {node.id} of episode {episode.id} carries log-prob {logprob} at its sampled token {offset}: "
                "the engine broke its contract; drop the episode as invalid"
            )


def _tips(tree: Tree, chosen: set[NodeId]) -> list[NodeId]:
    """The chosen nodes below which no other is chosen, in order (a child always stands after its parent)."""
    busy = bytearray(len(tree.nodes))
    tips = []
    for node in reversed(tree.nodes):
        if node.id in chosen and not busy[node.id]:
            tips.append(node.id)
        if node.parent is not None and (busy[node.id] or node.id in chosen):
            busy[node.parent] = 1
    return tips[::-1]


def _row(episode: str, path: list[Node], chosen: set[NodeId], exact: bool) -> Segment:
    length = path[-1].end
    tokens_T = np.fromiter((token for node in path for token in node.tokens), dtype=np.int64, count=length)
    mask_T = np.zeros(length, dtype=np.bool_)
    behaviour_T, temperature_T = np.zeros(length), np.ones(length)
    spans = []
    for node in path:
        if node.id not in chosen or node.sampled is None:
            continue
        start = max(1, node.start + node.lead)
        mask_T[start : node.end] = True
        spans.append(Span(node.id, start, node.end))
        if exact:
            behaviour_T[start : node.end] = _tail(node.sampled, node.end - start)
            temperature_T[start : node.end] = node.sampled.temperature
    return Segment(episode, tokens_T, mask_T, behaviour_T, temperature_T, tuple(spans))


def _tail(sampled: Sampled, count: int) -> tuple[float, ...]:
    return sampled.logprobs[len(sampled.logprobs) - count :]
