"""Micro-batches: rows of similar length in one rectangle, padded on the right.

Always true: padding is never more than `MAX_PADDING` of a rectangle, and no causal model can see it, because it stands
after every token that is trained; so no attention mask is needed. A micro-batch has no weight of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .batch import Share
from .segments import Segment

MAX_PADDING = 0.15


@dataclass(frozen=True)
class Row:
    """A segment and the advantage of its episode."""

    segment: Segment
    advantage: float


@dataclass(frozen=True, eq=False)
class Micro:
    """`tokens_BT`, and for each of the N trained tokens its place (`row_N`, `column_N`) and what the loss reads.

    Each trained token is predicted at a place of its own: U = N.
    """

    rows: tuple[Row, ...]
    tokens_BT: Tensor
    row_N: Tensor
    column_N: Tensor
    target_N: Tensor
    behaviour_N: Tensor
    temperature_U: Tensor
    which_N: Tensor
    advantage_N: Tensor

    @property
    def computed(self) -> int:
        """Tokens that go through the model, padding left out."""
        return sum(len(row.segment) for row in self.rows)

    def where(self, index: int) -> str:
        """Trained token `index` in words, for an error."""
        return self.rows[int(self.row_N[index])].segment.where(int(self.column_N[index]))


def rows_of(shares: Sequence[Share]) -> list[Row]:
    """All rows that train something, longest first (ties in the order of the batch)."""
    rows = [Row(s, share.advantage) for share in shares for s in share.segments if s.trained]
    return sorted(rows, key=lambda row: -len(row.segment))


def pack(rows: Sequence[Row], max_tokens: int) -> Iterator[list[Row]]:
    """Cut rows, longest first, into rectangles of at most `max_tokens` tokens; a longer row stands alone."""
    members: list[Row] = []
    for row in rows:
        if members and not _fits(members, row, max_tokens):
            yield members
            members = []
        members.append(row)
    if members:
        yield members


def _fits(members: list[Row], row: Row, max_tokens: int) -> bool:
    area = (len(members) + 1) * len(members[0].segment)
    filled = sum(len(member.segment) for member in members) + len(row.segment)
    return area <= max_tokens and filled >= (1 - MAX_PADDING) * area


def collate(rows: Sequence[Row], *, dtype: torch.dtype, device: torch.device) -> Micro:
    """The tensors of a micro-batch."""
    tokens_BT = np.zeros((len(rows), max(len(row.segment) for row in rows)), dtype=np.int64)
    for index, row in enumerate(rows):
        tokens_BT[index, : len(row.segment)] = row.segment.tokens_T
    columns = [np.flatnonzero(row.segment.mask_T) for row in rows]
    row_N = np.repeat(np.arange(len(rows)), [len(c) for c in columns])
    column_N = np.concatenate(columns)

    def read(name: str) -> Tensor:
        values = [getattr(row.segment, name)[c] for row, c in zip(rows, columns, strict=True)]
        return torch.from_numpy(np.concatenate(values)).to(device=device, dtype=dtype)

    return Micro(
        rows=tuple(rows),
        tokens_BT=torch.from_numpy(tokens_BT).to(device),
        row_N=torch.from_numpy(row_N).to(device),
        column_N=torch.from_numpy(column_N).to(device),
        target_N=torch.from_numpy(tokens_BT[row_N, column_N]).to(device),
        behaviour_N=read("behaviour_T"),
        temperature_U=read("temperature_T"),
        which_N=torch.arange(len(row_N), device=device),
        advantage_N=torch.tensor([row.advantage for row in rows], dtype=dtype, device=device)[row_N],
    )
