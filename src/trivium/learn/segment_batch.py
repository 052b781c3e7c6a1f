"""Segments of similar length side by side, padded on the right: the micro-batch that every model reads.

Always true: padding is never more than `MAX_PADDING` of a micro-batch, and no causal model can see it, because it
stands after every token that is trained; so no attention mask is needed. A micro-batch has no weight of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .micro_batch import MicroBatch
from .trained_tokens import TrainedTokens, WeightedSegment, at_trained

MAX_PADDING = 0.15


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentBatch(MicroBatch):
    """`tokens_BT`, a segment a row; every trained token is predicted at a place of its own: U = N."""

    tokens_BT: Tensor


def pack_segments(segments: Sequence[WeightedSegment], max_tokens: int) -> Iterator[list[WeightedSegment]]:
    """Cut segments, longest first, into micro-batches of at most `max_tokens` tokens; a longer one stands alone."""
    members: list[WeightedSegment] = []
    for one in segments:
        if members and not _fits(members, one, max_tokens):
            yield members
            members = []
        members.append(one)
    if members:
        yield members


def _fits(members: list[WeightedSegment], one: WeightedSegment, max_tokens: int) -> bool:
    area = (len(members) + 1) * len(members[0].segment)
    filled = sum(len(member.segment) for member in members) + len(one.segment)
    return area <= max_tokens and filled >= (1 - MAX_PADDING) * area


def collate_segments(segments: Sequence[WeightedSegment], *, dtype: torch.dtype, device: torch.device) -> SegmentBatch:
    """The tensors of a micro-batch."""
    tokens_BT = np.zeros((len(segments), max(len(one.segment) for one in segments)), dtype=np.int64)
    for row, one in enumerate(segments):
        tokens_BT[row, : len(one.segment)] = one.segment.tokens_T
    temperature_N = torch.from_numpy(at_trained(segments, "temperature_T")).to(device=device, dtype=dtype)
    return SegmentBatch(
        trained=TrainedTokens.of(segments, dtype=dtype, device=device),
        computed=sum(len(one.segment) for one in segments),
        tokens_BT=torch.from_numpy(tokens_BT).to(device),
        temperature_U=temperature_N,
        which_N=torch.arange(len(temperature_N), device=device),
    )
