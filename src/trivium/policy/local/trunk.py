"""The Llama-shaped decoder, once: the same arithmetic serves prefill and decode, which differ only in `attend`.

Always true: rows are tokens, of any number of contexts, in any order and without padding; only `attend` knows which
row belongs to which context.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from .low_rank import LowRank, LowRankLayer
from .pack import Layer, Packed
from .shape import Shape

Attend: TypeAlias = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, queries [N, H, D], new keys and values [N, 2J, D]) -> [N, H D], having stored the keys and values."""


_NOTHING = LowRankLayer()


class Rotary:
    """cos(p f) + i sin(p f) for positions p and the model's frequencies f [D/2]; scaled as the model says."""

    def __init__(self, frequencies: Tensor, scale: float) -> None:
        self._frequencies, self._scale = frequencies.float(), scale
        self._table = self._rows(512)

    def __call__(self, positions: Sequence[int]) -> Tensor:
        """[N, 1, D/2], complex."""
        need = max(positions) + 1
        if need > len(self._table):
            self._table = self._rows(max(need, 2 * len(self._table)))
        index = torch.tensor(positions, device=self._table.device)
        return self._table[index].unsqueeze(1)

    def _rows(self, count: int) -> Tensor:
        angles = torch.arange(count, device=self._frequencies.device).float()[:, None] * self._frequencies
        return torch.polar(torch.full_like(angles, self._scale), angles)


def trunk(
    packed: Packed,
    adapter: Sequence[LowRankLayer],
    shape: Shape,
    tokens: Sequence[int],
    turns: Tensor,
    attend: Attend,
) -> Tensor:
    """Hidden states [N, E] of N tokens; `turns` [N, 1, D/2] are their rotary factors. `adapter`: one per block, or
    empty."""
    hidden = F.embedding(torch.tensor(tokens, device=packed.embed.device), packed.embed)
    for index, layer in enumerate(packed.layers):
        low = adapter[index] if adapter else _NOTHING
        query, key_value = _project(layer, low, shape, hidden, turns)
        hidden = _residual(hidden, attend(index, query, key_value), layer.out, layer.out_bias, low.out)
        hidden = _residual(hidden, _gated(layer, low, shape, hidden), layer.down, layer.down_bias, low.down)
    return hidden


def logits(packed: Packed, shape: Shape, hidden: Tensor) -> Tensor:
    """[R, E] -> [R, V]."""
    return packed.head(_norm(hidden, shape.eps) * packed.norm)


def _norm(x: Tensor, eps: float) -> Tensor:
    """x / sqrt(|x|² / E + eps) over the last dimension, in fp32; four operations, where `rms_norm` takes seven."""
    norm: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    scale: Tensor = norm.square_().mul_(1 / x.shape[-1]).add_(eps).rsqrt_()
    return (x * scale).to(x.dtype)


def _project(layer: Layer, low: LowRankLayer, shape: Shape, hidden: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
    x = _norm(hidden, shape.eps)
    qkv = _plus(F.linear(x, layer.qkv, layer.qkv_bias), x, low.qkv)
    heads = qkv.view(len(hidden), -1, shape.head_dim)
    turned = heads[:, : shape.heads + shape.kv_heads]
    if layer.norm_qk is not None:
        turned.copy_(_norm(turned, shape.eps) * layer.norm_qk)
    _turn(turned, turns)
    return heads[:, : shape.heads], heads[:, shape.heads :]


def _turn(heads: Tensor, turns: Tensor) -> None:
    """Rotate interleaved heads [N, H + J, D] in place."""
    pairs = heads.view(*heads.shape[:-1], -1, 2)
    if heads.dtype == torch.float32:
        torch.view_as_complex(pairs).mul_(turns)
    else:
        pairs.copy_(torch.view_as_real(torch.view_as_complex(pairs.float()) * turns))


def _gated(layer: Layer, low: LowRankLayer, shape: Shape, hidden: Tensor) -> Tensor:
    x = _norm(hidden, shape.eps)
    gate_up = _plus(layer.gate_up(x, layer.gate_up_bias), x, low.gate_up)
    gate, up = gate_up.chunk(2, dim=-1)
    return F.silu(gate).mul_(up)


def _plus(y: Tensor, x: Tensor, low: LowRank | None) -> Tensor:
    return y if low is None else y.add_(low(x))


def _residual(hidden: Tensor, inner: Tensor, weight: Tensor, bias: Tensor | None, low: LowRank | None) -> Tensor:
    if bias is not None:
        hidden = hidden + bias
    return _plus(torch.addmm(hidden, inner, weight.t()), inner, low)
