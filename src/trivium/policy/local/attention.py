"""The two ways in which rows attend: one token per seated context (decode), or runs of tokens (prefill).

Shapes: H query heads, J key heads, G = H / J, D head size, N rows of the call, T longest context of a block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .arena import Block, Strip
from .shape import Shape


@dataclass
class _Span:
    """The rows [start, stop) of the call that sit in one block, in seat order."""

    block: Block
    start: int
    stop: int
    longest: int
    rows: Tensor
    """[R]"""
    positions: Tensor
    """[R]: where each row's new key goes."""
    bias: Tensor
    """[R, 1, G, T]: 0 where a position is read, minus infinity after it."""


class DecodeAttention:
    """Each row is the newest token of one seated context; rows follow the blocks in order, and the seats in each."""

    def __init__(self, blocks: Sequence[Block], shape: Shape) -> None:
        self._shape = shape
        self._spans: list[_Span] = []
        for block in blocks:
            self._spans.append(_span(block, self._spans[-1].stop if self._spans else 0, shape.groups))

    def __call__(self, layer: int, query_NHD: Tensor, new_NWD: Tensor) -> Tensor:
        """Store the new keys and values; attend over everything up to them. Returns [N, H D]."""
        done = [self._attend(span, layer, query_NHD, new_NWD) for span in self._spans]
        return done[0] if len(done) == 1 else torch.cat(done)

    def _attend(self, span: _Span, layer: int, query_NHD: Tensor, new_NWD: Tensor) -> Tensor:
        shape, data = self._shape, span.block.data[layer]
        data[span.rows, :, span.positions] = new_NWD[span.start : span.stop]
        seen = data[: span.stop - span.start, :, : span.longest]
        query = query_NHD[span.start : span.stop].view(-1, shape.kv_heads, shape.groups, shape.head_dim)
        key, value = seen[:, : shape.kv_heads], seen[:, shape.kv_heads :]
        return F.scaled_dot_product_attention(query, key, value, attn_mask=span.bias).flatten(1)


def _span(block: Block, start: int, groups: int) -> _Span:
    device, dtype = block.data.device, block.data.dtype
    positions = torch.tensor([strip.length for strip in block.seats], device=device)
    longest = max(strip.length for strip in block.seats) + 1
    hidden = torch.arange(longest, device=device) > positions[:, None]
    bias = torch.zeros(hidden.shape, dtype=dtype, device=device).masked_fill_(hidden, float("-inf"))
    rows = torch.arange(len(block.seats), device=device)
    bias = bias[:, None, None].expand(-1, 1, groups, -1)
    return _Span(block, start, start + len(block.seats), longest, rows, positions, bias)


class PrefillAttention:
    """Runs of new tokens, one run per parked context, in order and without padding."""

    def __init__(self, strips: Sequence[Strip], counts: Sequence[int], shape: Shape) -> None:
        self._shape = shape
        self._strips, self._counts = strips, counts

    def __call__(self, layer: int, query_NHD: Tensor, new_NWD: Tensor) -> Tensor:
        """Store the new keys and values; attend causally. Returns [N, H D]."""
        done = []
        start = 0
        for strip, count in zip(self._strips, self._counts, strict=True):
            assert strip.parked is not None, "a prefill reserves its place first"
            run = slice(start, start + count)
            done.append(self._attend(strip.length, strip.parked[layer], query_NHD[run], new_NWD[run]))
            start += count
        return done[0] if len(done) == 1 else torch.cat(done)

    def _attend(self, past: int, data_WTD: Tensor, query_SHD: Tensor, new_SWD: Tensor) -> Tensor:
        shape, count = self._shape, len(query_SHD)
        data_WTD[:, past : past + count] = new_SWD.transpose(0, 1)
        seen = data_WTD[:, : past + count].unsqueeze(1).expand(-1, shape.groups, -1, -1)
        query = query_SHD.transpose(0, 1).view(shape.kv_heads, shape.groups, count, shape.head_dim)
        mask = None
        if past and count > 1:
            mask = torch.ones(count, past + count, dtype=torch.bool, device=query.device).tril(past)
        key, value = seen[: shape.kv_heads], seen[shape.kv_heads :]
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=not past and count > 1)
        return out.flatten(0, 1).transpose(0, 1).flatten(1)
