"""Micro-batches: rows of similar length in one rectangle, padded on the right.

Always true: padding is never more than `MAX_PADDING` of a rectangle, and no causal model can see it, because it stands
after every token that is trained; so no attention mask is needed. A micro-batch has no weight of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .piece import Piece, Row, entries, trained

MAX_PADDING = 0.15


@dataclass(frozen=True, eq=False, kw_only=True)
class Micro(Piece):
    """`tokens_BT`; trained token n stands at (`row_N`, `column_N`) and is predicted at a place of its own: U = N."""

    tokens_BT: Tensor


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
    temperature_N = torch.from_numpy(trained(rows, "temperature_T")).to(device=device, dtype=dtype)
    return Micro(
        **entries(rows, dtype=dtype, device=device),
        computed=sum(len(row.segment) for row in rows),
        tokens_BT=torch.from_numpy(tokens_BT).to(device),
        temperature_U=temperature_N,
        which_N=torch.arange(len(temperature_N), device=device),
    )
