"""Where decoding contexts keep their keys and values: blocks of rows with the same capacity.

Always true: a block's used rows are 0..R-1, so attention reads views and copies nothing; a context sits in the block
whose capacity is the least that holds it, so that short rows are not padded to the longest. Memory that was never
written is zero (masked positions must not hold NaN). A context out of the arena (*parked*) owns an exact tensor.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(eq=False)
class Strip:
    """Keys and values of one context: parked (`parked` [L, 2J, >= length, D]) or seated in a row of a block."""

    length: int = 0
    parked: Tensor | None = None
    block: "Block | None" = None
    row: int = 0


@dataclass(eq=False)
class Block:
    """Rows of one capacity C: `data` [L, rows, 2J, C, D], keys before values; `seats[r]` sits in row r."""

    capacity: int
    data: Tensor
    seats: list[Strip] = field(default_factory=list)


class Arena:
    """All blocks. `layers` L, `width` 2J, `head_dim` D."""

    def __init__(self, layers: int, width: int, head_dim: int, dtype: torch.dtype, device: torch.device) -> None:
        self._size = (layers, width, head_dim)
        self._dtype, self._device = dtype, device
        self._blocks: dict[int, Block] = {}

    def tensor(self, length: int) -> Tensor:
        """A tensor for a parked context, not yet written."""
        layers, width, head_dim = self._size
        return torch.empty(layers, width, length, head_dim, dtype=self._dtype, device=self._device)

    def blocks(self) -> Iterator[Block]:
        """Blocks in use, short ones first."""
        for capacity in sorted(self._blocks):
            yield self._blocks[capacity]

    def seat(self, strip: Strip) -> None:
        """Give the context a row with room for one token more; a no-op where it has one."""
        if strip.block is not None and strip.length < strip.block.capacity:
            return
        source = view(strip)
        block = self._block(capacity_for(strip.length + 1))
        row = len(block.seats)
        block.data[:, row, :, : strip.length] = source[:, :, : strip.length]
        self.leave(strip)
        block.seats.append(strip)
        strip.block, strip.row, strip.parked = block, row, None

    def park(self, strip: Strip) -> None:
        """Move the context out of its row into a tensor of its own."""
        if strip.block is not None:
            parked = view(strip)[:, :, : strip.length].clone(memory_format=torch.contiguous_format)
            self.leave(strip)
            strip.parked = parked

    def leave(self, strip: Strip) -> None:
        """Free the context's row; the last row of the block takes its place."""
        block = strip.block
        if block is None:
            return
        last = block.seats.pop()
        if last is not strip:
            block.data[:, strip.row, :, : last.length] = block.data[:, last.row, :, : last.length]
            block.seats[strip.row], last.row = last, strip.row
        strip.block = None
        if not block.seats:
            del self._blocks[block.capacity]

    def _block(self, capacity: int) -> Block:
        block = self._blocks.get(capacity)
        if block is None:
            block = self._blocks[capacity] = Block(capacity, self._rows(4, capacity))
        rows = block.data.shape[1]
        if len(block.seats) == rows:
            grown = self._rows(2 * rows, capacity)
            grown[:, :rows] = block.data
            block.data = grown
        return block

    def _rows(self, rows: int, capacity: int) -> Tensor:
        layers, width, head_dim = self._size
        return torch.zeros(layers, rows, width, capacity, head_dim, dtype=self._dtype, device=self._device)


def view(strip: Strip) -> Tensor:
    """[L, 2J, >= length, D], wherever the context is."""
    if strip.block is not None:
        return strip.block.data[:, strip.row]
    assert strip.parked is not None, "an empty context has no keys"
    return strip.parked


def capacity_for(length: int) -> int:
    """Least capacity for `length` tokens: steps of 128 below 1024, of an eighth of the power of two above."""
    step = 128 if length <= 1024 else 1 << ((length - 1).bit_length() - 3)
    return -(-length // step) * step
