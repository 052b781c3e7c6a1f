"""A piece of a batch: some rows as tensors, whatever their layout (micro.py, forest.py)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .batch import Share
from .segments import Segment


@dataclass(frozen=True)
class Row:
    """A segment and the advantage of its episode."""

    segment: Segment
    advantage: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Piece:
    """What the loss needs of the N trained tokens; U places predict them, token n at place `which_N[n]`."""

    rows: tuple[Row, ...]
    computed: int
    """Tokens that go through the model, padding left out."""
    row_N: Tensor
    column_N: Tensor
    target_N: Tensor
    behaviour_N: Tensor
    advantage_N: Tensor
    which_N: Tensor
    temperature_U: Tensor

    def where(self, index: int) -> str:
        """Trained token `index` in words, for an error."""
        return self.rows[int(self.row_N[index])].segment.where(int(self.column_N[index]))


def rows_of(shares: Sequence[Share]) -> list[Row]:
    """All rows that train something, longest first (ties in the order of the batch)."""
    rows = [Row(s, share.advantage) for share in shares for s in share.segments if s.trained]
    return sorted(rows, key=lambda row: -len(row.segment))


def trained(rows: Sequence[Row], name: str) -> Any:
    """The values `name` of the segments at their trained tokens, row after row: an array (N,)."""
    return np.concatenate([getattr(row.segment, name)[row.segment.mask_T] for row in rows])


def entries(rows: Sequence[Row], *, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """The fields of a `Piece` that do not depend on the layout."""
    row_N = np.repeat(np.arange(len(rows)), [row.segment.trained for row in rows])
    advantages = np.asarray([row.advantage for row in rows])
    return {
        "rows": tuple(rows),
        "row_N": torch.from_numpy(row_N).to(device),
        "column_N": torch.from_numpy(np.concatenate([np.flatnonzero(row.segment.mask_T) for row in rows])).to(device),
        "target_N": torch.from_numpy(trained(rows, "tokens_T")).to(device),
        "behaviour_N": torch.from_numpy(trained(rows, "behaviour_T")).to(device=device, dtype=dtype),
        "advantage_N": torch.from_numpy(advantages[row_N]).to(device=device, dtype=dtype),
    }
