"""The fast forward: Llama-shaped models on weights and an arena of their own. Which models: `select.py`."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from trivium.policy import lora

from .arena import Arena, Strip, view
from .attention import DecodeAttention, PrefillAttention
from .low_rank import LowRankLayer, pack_adapter
from .pack import pack
from .shape import Shape
from .trunk import Rotary, logits, trunk


class FastForward:
    """A `Forward` over `Strip`s. The module is read once; its weights are copied, never shared."""

    def __init__(self, model: Any, shape: Shape, dtype: torch.dtype) -> None:
        device = model.device
        rotary = model.model.rotary_emb
        self.window: int = model.config.max_position_embeddings
        self._shape, self._dtype, self._device = shape, dtype, device
        self._rotary = Rotary(rotary.inv_freq.to(device), float(rotary.attention_scaling))
        self._arena = Arena(shape.layers, 2 * shape.kv_heads, shape.head_dim, dtype, device)
        self._packed = pack(lora.base_state(model), shape, dtype, device)
        self._scale = lora.scale(model) if lora.is_adapted(model) else None
        self._adapter: tuple[LowRankLayer, ...] = ()
        if self._scale is not None:
            self.load(lora.learned(model))

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Copy other weights in, an adapter's where there is one; raises EngineError when they do not fit, and keeps
        the old ones."""
        if self._scale is None:
            self._packed = pack(state, self._shape, self._dtype, self._device)
        else:
            self._adapter = pack_adapter(state, self._scale, self._packed.layers, self._shape)

    def empty(self) -> Strip:
        """Keys and values of the empty context."""
        return Strip()

    def crop(self, kv: Strip, length: int) -> None:
        """Keep the first `length` positions."""
        kv.length = min(kv.length, length)

    def fork(self, kv: Strip, length: int) -> Strip | None:
        """A copy of the first `length` positions."""
        return Strip(length, view(kv)[:, :, :length].clone(memory_format=torch.contiguous_format))

    def park(self, kv: Strip) -> None:
        """Out of the batch, kept in an exact tensor."""
        self._arena.park(kv)

    def drop(self, kv: Strip) -> None:
        """Out of the batch, freed."""
        self._arena.leave(kv)
        kv.length, kv.parked = 0, None

    def prefill(self, work: Sequence[tuple[Strip, Sequence[int]]]) -> Tensor:
        """Read runs of tokens after contexts that are not in the batch; all runs in one pass, without padding."""
        strips = [strip for strip, _ in work]
        counts = [len(run) for _, run in work]
        for strip, count in zip(strips, counts, strict=True):
            self._reserve(strip, strip.length + count)
        tokens = [token for _, run in work for token in run]
        positions = [strip.length + i for strip, run in work for i in range(len(run))]
        attend = PrefillAttention(strips, counts, self._shape)
        hidden = trunk(self._packed, self._adapter, self._shape, tokens, self._rotary(positions), attend)
        for strip, count in zip(strips, counts, strict=True):
            strip.length += count
        last = torch.tensor([stop - 1 for stop in accumulate(counts)], device=self._device)
        return logits(self._packed, self._shape, hidden[last])

    def decode(self, kvs: Sequence[Strip], tokens: Sequence[int]) -> Tensor:
        """One token for every context of the batch (all seated contexts must take part)."""
        for strip in kvs:
            self._arena.seat(strip)
        blocks = list(self._arena.blocks())
        seats = [strip for block in blocks for strip in block.seats]
        assert len(seats) == len(kvs), "every context in the batch decodes at every step"
        place = {id(strip): row for row, strip in enumerate(seats)}
        order = [place[id(strip)] for strip in kvs]
        ordered = [0] * len(kvs)
        for row, token in zip(order, tokens, strict=True):
            ordered[row] = token
        turns = self._rotary([strip.length for strip in seats])
        attend = DecodeAttention(blocks, self._shape)
        hidden = trunk(self._packed, self._adapter, self._shape, ordered, turns, attend)
        for strip in seats:
            strip.length += 1
        return logits(self._packed, self._shape, hidden[torch.tensor(order, device=self._device)])

    def _reserve(self, strip: Strip, length: int) -> None:
        """Make room for `length` tokens in a parked context."""
        assert strip.block is None, "a seated context decodes; park it before a prefill"
        if strip.parked is None or strip.parked.shape[2] < length:
            grown = self._arena.tensor(length)
            if strip.length:
                grown[:, :, : strip.length] = view(strip)[:, :, : strip.length]
            strip.parked = grown
