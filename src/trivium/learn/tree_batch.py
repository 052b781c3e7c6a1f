"""Segments that share a prefix, laid out as trees, so that what they share is computed once.

Always true: a segment is still exactly its own path from a root, and every trained token keeps its own entry (its
target, advantage and behaviour): tokens that two segments share are computed once, and identical actions of two
episodes are still clipped and weighed apart. Segments are taken in lexicographic order, so neighbours share the most; a
batch above the token cap is cut between two segments, and what they share is then computed again.

    segments (sorted)  edges                    flat layout, position = depth
    a b c d            [a b] ── [c d]           a b c d e f g
    a b e f              └──── [e f] ── [g]     0 1 2 3 2 3 4
    a b e f g
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from .micro_batch import MicroBatch
from .segments import Ints
from .trained_tokens import TrainedTokens, WeightedSegment, at_trained


@dataclass(frozen=True)
class Edge:
    """Tokens that stand in one segment or are shared by several: depths [depth, depth + size), places [start, ...)."""

    start: int
    size: int
    depth: int
    above: tuple[int, ...]
    """The edges from the root to this one, by index."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeBatch(MicroBatch):
    """`tokens_S` at depths `position_S`; trained tokens are predicted at the places `place_U`.

    Several tokens may be predicted at one place (those of other episodes), where logits are computed once.
    """

    edges: tuple[Edge, ...]
    tokens_S: Tensor
    position_S: Tensor
    place_U: Tensor


def in_order(segments: Sequence[WeightedSegment]) -> list[WeightedSegment]:
    """Segments in the lexicographic order of their tokens, ties in the order given."""
    return sorted(segments, key=lambda one: one.segment.tokens_T.astype(">u4").tobytes())


def common_prefix(one: Ints, two: Ints) -> int:
    """Length of the common prefix."""
    size = min(len(one), len(two))
    differs = np.flatnonzero(one[:size] != two[:size])
    return int(differs[0]) if len(differs) else size


def pack_trees(segments: Sequence[WeightedSegment], max_tokens: int) -> Iterator[list[WeightedSegment]]:
    """Cut sorted segments into micro-batches of at most `max_tokens` computed tokens; a longer one stands alone."""
    members: list[WeightedSegment] = []
    size = 0
    for one in segments:
        tokens_T = one.segment.tokens_T
        more = len(tokens_T) - (common_prefix(members[-1].segment.tokens_T, tokens_T) if members else 0)
        if members and size + more > max_tokens:
            yield members
            members, size, more = [], 0, len(tokens_T)
        members.append(one)
        size += more
    if members:
        yield members


def collate_trees(segments: Sequence[WeightedSegment], *, dtype: torch.dtype, device: torch.device) -> TreeBatch:
    """The trees of sorted segments."""
    edges, tokens_S, paths = _grow([one.segment.tokens_T for one in segments])
    place_N = np.concatenate(
        [path[np.flatnonzero(one.segment.mask_T) - 1] for path, one in zip(paths, segments, strict=True)]
    )
    temperature_N = at_trained(segments, "temperature_T")
    predictors, which_N = np.unique(np.stack([place_N, temperature_N]), axis=1, return_inverse=True)
    position_S = np.concatenate([np.arange(edge.depth, edge.depth + edge.size) for edge in edges])
    return TreeBatch(
        trained=TrainedTokens.of(segments, dtype=dtype, device=device),
        computed=len(tokens_S),
        edges=tuple(edges),
        tokens_S=torch.from_numpy(tokens_S).to(device),
        position_S=torch.from_numpy(position_S).to(device),
        place_U=torch.from_numpy(predictors[0].astype(np.int64)).to(device),
        temperature_U=torch.from_numpy(predictors[1]).to(device=device, dtype=dtype),
        which_N=torch.from_numpy(which_N.reshape(-1)).to(device),
    )


def _grow(rows: Sequence[Ints]) -> tuple[list[Edge], Ints, list[Ints]]:
    """Edges in depth-first order, their tokens, and the places of each row's: `rows` are the segments' tokens."""
    lcp = [0, *(common_prefix(a, b) for a, b in pairwise(rows))]
    edges: list[Edge] = []
    places: list[list[Ints]] = [[] for _ in rows]
    tokens: list[Ints] = []
    start = 0
    pending: list[tuple[int, int, int, tuple[int, ...]]] = [(0, len(rows), 0, ())]
    while pending:
        first, last, depth, above = pending.pop()
        end = min([len(rows[first]), *lcp[first + 1 : last]])
        if end > depth:
            above = (*above, len(edges))
            edges.append(Edge(start, end - depth, depth, above[:-1]))
            tokens.append(rows[first][depth:end])
            for row in range(first, last):
                places[row].append(np.arange(start, start + end - depth))
            start += end - depth
        pending += [(a, b, end, above) for a, b in reversed(_branches(rows, lcp, first, last, end))]
    return edges, np.concatenate(tokens), [np.concatenate(parts) for parts in places]


def _branches(rows: Sequence[Ints], lcp: Sequence[int], first: int, last: int, end: int) -> list[tuple[int, int]]:
    """Runs of segments that go on after `end` with the same token."""
    longer = [row for row in range(first, last) if len(rows[row]) > end]
    cuts = [row for row in longer if row == longer[0] or lcp[row] <= end]
    return list(pairwise([*cuts, last]))
