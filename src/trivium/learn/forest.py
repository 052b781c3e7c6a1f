"""Forests: rows that share a beginning, laid out so that what they share is computed once.

Always true: a row is still exactly its own path from a root, and every trained token keeps its own entry (its target,
advantage and behaviour): tokens that two rows share are computed once, and identical actions of two episodes are still
clipped and weighed apart. Rows are taken in lexicographic order, so neighbours share the most; a forest above the token
cap is cut between two rows, and what they share is then computed again.

    rows (sorted)      edges                    flat layout, position = depth
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

from .piece import Piece, Row, entries, trained
from .segments import Ints


@dataclass(frozen=True)
class Edge:
    """Tokens that stand in one row or are shared by several: depths [depth, depth + size), places [start, ...)."""

    start: int
    size: int
    depth: int
    above: tuple[int, ...]
    """The edges from the root to this one, by index."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Forest(Piece):
    """`tokens_S` at depths `position_S`; trained tokens are predicted at the places `place_U`.

    Several tokens may be predicted at one place (those of other episodes), where logits are computed once.
    """

    edges: tuple[Edge, ...]
    tokens_S: Tensor
    position_S: Tensor
    place_U: Tensor


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Rows in the lexicographic order of their tokens, ties in the order given."""
    return sorted(rows, key=lambda row: row.segment.tokens_T.astype(">u4").tobytes())


def shared(one: Ints, two: Ints) -> int:
    """Length of the common beginning."""
    size = min(len(one), len(two))
    differs = np.flatnonzero(one[:size] != two[:size])
    return int(differs[0]) if len(differs) else size


def cut_forests(rows: Sequence[Row], max_tokens: int) -> Iterator[list[Row]]:
    """Cut sorted rows into forests of at most `max_tokens` computed tokens; a longer row stands alone."""
    members: list[Row] = []
    size = 0
    for row in rows:
        tokens = row.segment.tokens_T
        more = len(tokens) - (shared(members[-1].segment.tokens_T, tokens) if members else 0)
        if members and size + more > max_tokens:
            yield members
            members, size, more = [], 0, len(tokens)
        members.append(row)
        size += more
    if members:
        yield members


def plant(rows: Sequence[Row], *, dtype: torch.dtype, device: torch.device) -> Forest:
    """The forest of sorted rows."""
    edges, tokens_S, paths = _grow([row.segment.tokens_T for row in rows])
    place_N = np.concatenate(
        [path[np.flatnonzero(row.segment.mask_T) - 1] for path, row in zip(paths, rows, strict=True)]
    )
    predictors, which_N = np.unique(np.stack([place_N, trained(rows, "temperature_T")]), axis=1, return_inverse=True)
    position_S = np.concatenate([np.arange(edge.depth, edge.depth + edge.size) for edge in edges])
    return Forest(
        **entries(rows, dtype=dtype, device=device),
        computed=len(tokens_S),
        edges=tuple(edges),
        tokens_S=torch.from_numpy(tokens_S).to(device),
        position_S=torch.from_numpy(position_S).to(device),
        place_U=torch.from_numpy(predictors[0].astype(np.int64)).to(device),
        temperature_U=torch.from_numpy(predictors[1]).to(device=device, dtype=dtype),
        which_N=torch.from_numpy(which_N.reshape(-1)).to(device),
    )


def _grow(rows: Sequence[Ints]) -> tuple[list[Edge], Ints, list[Ints]]:
    """Edges in depth-first order, their tokens, and the places of every row's tokens."""
    lcp = [0, *(shared(a, b) for a, b in pairwise(rows))]
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
    """Runs of rows that go on after `end` with the same token."""
    longer = [row for row in range(first, last) if len(rows[row]) > end]
    cuts = [row for row in longer if row == longer[0] or lcp[row] <= end]
    return list(pairwise([*cuts, last]))
