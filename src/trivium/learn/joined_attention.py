"""Tree attention without a mask: a part that is causal and a part that is read in full, joined by their log-sum-exps.

    the tokens of an edge   read their own edge causally,
    and neighbouring edges under one parent read the path above them in full, in one call.

A token that reads two parts joins what they say by their log-sum-exps L:

    o = sum_e exp(L_e - L) o_e        L = ln sum_e exp(L_e)

The backward pass of a part takes the joined o and L: exp(q k^T - L) is then the part's share of the whole (the
recomputation of FlashAttention, Dao 2022, appendix B, over blocks). Shapes: N heads, S tokens, H head size.
"""
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable

from .tree_batch import Edge

_forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


@dataclass(frozen=True)
class Reading:
    """The tokens at `places` read those at `read`, runs of places in the order of their depths.

    `own`: what they read is they themselves, causally.
    """

    places: slice
    read: tuple[slice, ...]
    own: bool


def readings(edges: Sequence[Edge]) -> list[Reading]:
    """Every edge reads itself; neighbours under one parent read the path above them together."""
    found = [Reading(_places(edge), (_places(edge),), own=True) for edge in edges]
    for run in _neighbours(edges):
        if run[0].above:
            places = slice(run[0].start, run[-1].start + run[-1].size)
            found.append(Reading(places, _runs([edges[at] for at in run[0].above]), own=False))
    return found


def _neighbours(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Edges that stand side by side under one parent; what stands beneath an edge ends its run."""
    runs: list[list[Edge]] = []
    for edge in edges:
        if runs and runs[-1][-1].above == edge.above:
            runs[-1].append(edge)
        else:
            runs.append([edge])
    return runs


def _places(edge: Edge) -> slice:
    return slice(edge.start, edge.start + edge.size)


def _runs(path: Sequence[Edge]) -> tuple[slice, ...]:
    """The places of a path; a first child stands right behind its parent."""
    runs: list[slice] = []
    for edge in path:
        if runs and runs[-1].stop == edge.start:
            runs[-1] = slice(runs[-1].start, edge.start + edge.size)
        else:
            runs.append(_places(edge))
    return tuple(runs)


def joined_attention(parts: Sequence[Reading], q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
    """What every token reads (N, S, H), on a CPU; keys and values of fewer heads are each read by a group of them."""
    if k.shape[0] != q.shape[0]:
        k, v = (part.repeat_interleave(q.shape[0] // k.shape[0], dim=0) for part in (k, v))
    return _JoinedAttention.apply(q[None], k[None], v[None], parts, scale)[0]  # type: ignore[no-any-return]


class _JoinedAttention(Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, parts: Sequence[Reading], scale: float) -> Tensor:
        said = torch.empty(1, q.shape[2], q.shape[1], q.shape[3], dtype=q.dtype, device=q.device).transpose(1, 2)
        lse = q.new_empty(q.shape[:3], dtype=torch.promote_types(q.dtype, torch.float32))
        for part in parts:
            at = part.places
            inputs = q[:, :, at], _gather(k, part.read), _gather(v, part.read)
            one = _forward(*inputs, 0.0, part.own, scale=scale)
            if part.own:
                said[:, :, at], lse[:, :, at] = one
            else:
                _join(said[:, :, at], lse[:, :, at], *one)
        ctx.save_for_backward(q, k, v, said, lse)
        ctx.parts, ctx.scale = parts, scale
        return said

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        q, k, v, said, lse = ctx.saved_tensors
        grad_q, grad_k, grad_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        for part in ctx.parts:
            at = part.places
            inputs = q[:, :, at], _gather(k, part.read), _gather(v, part.read), said[:, :, at], lse[:, :, at]
            of_q, of_k, of_v = _backward(grad[:, :, at], *inputs, 0.0, part.own, scale=ctx.scale)
            if part.own:  # the first to come here, for queries and keys
                grad_q[:, :, at], grad_k[:, :, at], grad_v[:, :, at] = of_q, of_k, of_v
            else:
                grad_q[:, :, at] += of_q
                _scatter((grad_k, grad_v), (of_k, of_v), part.read)
        return grad_q, grad_k, grad_v, None, None


def _gather(x: Tensor, read: Sequence[slice]) -> Tensor:
    return x[:, :, read[0]] if len(read) == 1 else torch.cat([x[:, :, at] for at in read], 2)


def _scatter(sums: Sequence[Tensor], parts: Sequence[Tensor], read: Sequence[slice]) -> None:
    for total, part in zip(sums, parts, strict=True):
        for at, one in zip(read, part.split([at.stop - at.start for at in read], 2), strict=True):
            total[:, :, at] += one


def _join(said: Tensor, lse: Tensor, other: Tensor, of_other: Tensor) -> None:
    """Join a second part, in place: o += sigmoid(L_2 - L) (o_2 - o), then L = ln(exp L + exp L_2)."""
    share = torch.sigmoid(of_other - lse).unsqueeze(-1).to(said.dtype)
    said.lerp_(other, share.expand_as(said))
    torch.logaddexp(lse, of_other, out=lse)
