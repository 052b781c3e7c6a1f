"""Attention over trees: the queries of an edge read the keys and values of the edges above it and its own, causally.

There is no mask over the whole batch, and on a CPU none at all (joined_attention.py). Everything else in a layer is
row-wise, and sees one flat sequence (forward.py).
"""

from collections.abc import Sequence
from functools import lru_cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor

from .forward import Attend
from .joined_attention import joined_attention, readings
from .tree_batch import Edge


def tree_attention(edges: Sequence[Edge], device: torch.device) -> Attend:
    """What attends in a layer: queries, keys and values (heads, S, H), edge after edge -> what every token reads."""
    return partial(joined_attention, readings(edges)) if device.type == "cpu" else partial(masked_attention, edges)


def masked_attention(edges: Sequence[Edge], q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
    """The same with a mask for each edge that has others above it: the reference, and what other devices do."""
    sizes = [edge.size for edge in edges]
    parts = [torch.split(part[None], sizes, dim=2) for part in (q, k, v)]
    return torch.cat([_of_edge(parts, index, edge, scale) for index, edge in enumerate(edges)], 2)[0]


def _of_edge(parts: Sequence[Sequence[Tensor]], index: int, edge: Edge, scale: float) -> Tensor:
    """What the tokens of one edge read (1, heads, size, H)."""
    (q, k, v), mask = (part[index] for part in parts), None
    if edge.above:
        k, v = (torch.cat([part[at] for at in (*edge.above, index)], 2) for part in parts[1:])
        mask = _below(edge.size, edge.depth, q.device) if edge.size > 1 else None
    causal = not edge.above and edge.size > 1
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=causal, scale=scale, enable_gqa=k.shape[1] != q.shape[1]
    )


@lru_cache(maxsize=64)
def _below(size: int, depth: int, device: torch.device) -> Tensor:
    """Which keys the tokens at depths depth..depth+size-1 may read (size, depth + size)."""
    return torch.ones(size, depth + size, dtype=torch.bool, device=device).tril(depth)
