"""The trained tokens of some segments as tensors: one entry each, however a micro-batch is laid out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .batch import Share
from .segments import Segment


@dataclass(frozen=True)
class WeightedSegment:
    """A segment and the advantage of its episode."""

    segment: Segment
    advantage: float


def weighted_segments(shares: Sequence[Share]) -> list[WeightedSegment]:
    """All segments that train something, longest first (ties in the order of the batch)."""
    weighted = [WeightedSegment(s, share.advantage) for share in shares for s in share.segments if s.trained]
    return sorted(weighted, key=lambda one: -len(one.segment))


def at_trained(segments: Sequence[WeightedSegment], name: str) -> Any:
    """The values `name` of the segments at their trained tokens, segment after segment: an array (N,)."""
    return np.concatenate([getattr(one.segment, name)[one.segment.mask_T] for one in segments])


@dataclass(frozen=True, eq=False)
class TrainedTokens:
    """Token n is `target_N[n]`, at position `column_N[n]` of `segments[row_N[n]]`; N in all.

    `behaviour_N` are the log-probs (nats) at which they were sampled, `advantage_N` those of their episodes.
    """

    segments: tuple[WeightedSegment, ...]
    row_N: Tensor
    column_N: Tensor
    target_N: Tensor
    behaviour_N: Tensor
    advantage_N: Tensor

    @classmethod
    def of(cls, segments: Sequence[WeightedSegment], *, dtype: torch.dtype, device: torch.device) -> "TrainedTokens":
        """The trained tokens of `segments`, in order; log-probs and advantages are of `dtype`."""
        row_N = np.repeat(np.arange(len(segments)), [one.segment.trained for one in segments])
        column_N = np.concatenate([np.flatnonzero(one.segment.mask_T) for one in segments])
        advantage_N = np.asarray([one.advantage for one in segments])[row_N]
        return cls(
            segments=tuple(segments),
            row_N=torch.from_numpy(row_N).to(device),
            column_N=torch.from_numpy(column_N).to(device),
            target_N=torch.from_numpy(at_trained(segments, "tokens_T")).to(device),
            behaviour_N=torch.from_numpy(at_trained(segments, "behaviour_T")).to(device=device, dtype=dtype),
            advantage_N=torch.from_numpy(advantage_N).to(device=device, dtype=dtype),
        )

    def __len__(self) -> int:
        return len(self.target_N)

    def where(self, index: int) -> str:
        """Trained token `index` in words, for an error."""
        return self.segments[int(self.row_N[index])].segment.where(int(self.column_N[index]))
