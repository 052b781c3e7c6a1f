"""Log-probs of trained tokens under a model.

    logp_U = log_softmax(h_U W^T / temperature_U)        logp_N = logp_U[which_N, target_N]        in fp32 or wider

Logits are computed at the positions that need them, and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .batch import Share
from .layout import B, Layout, Logits, segment_layout
from .segments import Segment
from .trained_tokens import weighted_segments


@dataclass(frozen=True)
class Read:
    """`logp_N` (differentiable) and `entropy_N` (nats, of the sampled distribution) at the trained tokens."""

    logp_N: Tensor
    entropy_N: Tensor


def read(model: nn.Module, micro_batch: B, logits: Logits[B]) -> Read:
    """What the model says of the trained tokens of a micro-batch."""
    logits_UV = logits(model, micro_batch)
    wide = torch.promote_types(logits_UV.dtype, torch.float32)
    logp_UV = (logits_UV.to(wide) / micro_batch.temperature_U.to(wide)[:, None]).log_softmax(-1)
    with torch.no_grad():
        entropy_U = -(logp_UV.exp() * logp_UV).nan_to_num_(nan=0.0, neginf=0.0).sum(-1)
    return Read(logp_UV[micro_batch.which_N, micro_batch.trained.target_N], entropy_U[micro_batch.which_N])


@torch.no_grad()
def parity(model: nn.Module, segments: Sequence[Segment], layout: Layout[Any] | None = None) -> float:
    """max |logp - behaviour| over the trained tokens: below 1e-4 in fp32 when the weights are those that sampled.

    `layout`: segments, 8,192 tokens at a time, where none is given.
    """
    worst = 0.0
    layout = layout or segment_layout(model, 8192)
    for micro_batch in layout.micro_batches(weighted_segments([Share("", 0.0, tuple(segments))])):
        gap_N = (read(model, micro_batch, layout.logits).logp_N - micro_batch.trained.behaviour_N).abs()
        worst = max(worst, float(gap_N.max()))
    return worst
