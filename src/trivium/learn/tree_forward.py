"""The training forward over trees: every shared token is computed once.

Attention runs per edge: its queries read the keys and values of the edges above it and its own, causally; there is no
mask over the whole micro_batch. Everything else is row-wise and sees one flat sequence. Same weights and mathematics as
`forward.hidden_states`, which is the reference.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .forward import Each, after_attention, kept, norm
from .kernels import rotate
from .low_rank import fused
from .tree_batch import Edge, TreeBatch


def tree_hidden_states(model: Any, micro_batch: TreeBatch, each: Each = kept) -> Tensor:
    """Final hidden states (U, D) at the places that predict the trained tokens."""
    base = model.model
    x = F.embedding(micro_batch.tokens_S, base.embed_tokens.weight)
    cos_SH, sin_SH = (part[0] for part in base.rotary_emb(x[None], micro_batch.position_S[None]))
    last = base.layers[-1]
    for layer in base.layers:
        x = each(_layer, layer, x, cos_SH, sin_SH, micro_batch.edges, micro_batch.place_U if layer is last else None)
    return norm(base.norm, x)


def _layer(
    layer: Any, x_SD: Tensor, cos_SH: Tensor, sin_SH: Tensor, edges: Sequence[Edge], place_U: Tensor | None
) -> Tensor:
    """A layer; (U, D) at the places, where given, and else everywhere (S, D)."""
    y = _attention(layer.self_attn, norm(layer.input_layernorm, x_SD), cos_SH, sin_SH, edges)
    return after_attention(layer, x_SD, y) if place_U is None else after_attention(layer, x_SD[place_U], y[place_U])


def _attention(attn: Any, x_SD: Tensor, cos_SH: Tensor, sin_SH: Tensor, edges: Sequence[Edge]) -> Tensor:
    """The heads' outputs side by side (S, heads H), before the output projection."""
    widths = [p.weight.shape[0] for p in (attn.q_proj, attn.k_proj, attn.v_proj)]
    qkv = fused(x_SD, attn.q_proj, attn.k_proj, attn.v_proj)
    q, k, v = (part.view(len(x_SD), -1, attn.head_dim) for part in torch.split(qkv, widths, -1))
    if hasattr(attn, "q_norm"):
        q, k = norm(attn.q_norm, q), norm(attn.k_norm, k)
    q, k, v = (part.transpose(0, 1)[None] for part in (q, k, v))
    q, k = rotate(q, cos_SH, sin_SH), rotate(k, cos_SH, sin_SH)
    sizes = [edge.size for edge in edges]
    pieces = [torch.split(part, sizes, dim=2) for part in (q, k, v.contiguous())]
    said = [_one(pieces, index, edge, attn.scaling) for index, edge in enumerate(edges)]
    return torch.cat(said, 2)[0].transpose(0, 1).reshape(len(x_SD), -1)


def _one(pieces: Sequence[Sequence[Tensor]], index: int, edge: Edge, scale: float) -> Tensor:
    """What the tokens of one edge read (1, heads, size, H)."""
    (q, k, v), mask = (part[index] for part in pieces), None
    if edge.above:
        k, v = (torch.cat([part[at] for at in (*edge.above, index)], 2) for part in pieces[1:])
        mask = _below(edge.size, edge.depth, q.device) if edge.size > 1 else None
    causal = not edge.above and edge.size > 1
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=causal, scale=scale, enable_gqa=k.shape[1] != q.shape[1]
    )


@lru_cache(maxsize=64)
def _below(size: int, depth: int, device: torch.device) -> Tensor:
    """Which keys the tokens at depths depth..depth+size-1 may read (size, depth + size)."""
    return torch.ones(size, depth + size, dtype=torch.bool, device=device).tril(depth)
