"""Log-probs of trained tokens under a model.

    logp_U = log_softmax(h_U W^T / temperature_U)        logp_N = logp_U[which_N, target_N]        in fp32 or wider

Logits are computed at the positions that need them, and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .batch import Share
from .layout import Layout, rectangles
from .piece import Piece, rows_of
from .segments import Segment


@dataclass(frozen=True)
class Read:
    """`logp_N` (differentiable) and `entropy_N` (nats, of the sampled distribution) at the trained tokens."""

    logp_N: Tensor
    entropy_N: Tensor


def read(model: nn.Module, piece: Piece, logits: Callable[[Any, Any], Tensor]) -> Read:
    """What the model says of the trained tokens of a piece of a batch."""
    logits_UV = logits(model, piece)
    wide = torch.promote_types(logits_UV.dtype, torch.float32)
    logp_UV = (logits_UV.to(wide) / piece.temperature_U.to(wide)[:, None]).log_softmax(-1)
    with torch.no_grad():
        entropy_U = -(logp_UV.exp() * logp_UV).nan_to_num_(nan=0.0, neginf=0.0).sum(-1)
    return Read(logp_UV[piece.which_N, piece.target_N], entropy_U[piece.which_N])


@torch.no_grad()
def parity(model: nn.Module, segments: Sequence[Segment], layout: Layout | None = None) -> float:
    """max |logp - behaviour| over the trained tokens: below 1e-4 in fp32 when the weights are those that sampled.

    `layout`: rectangles of 8,192 tokens where none is given.
    """
    worst = 0.0
    layout = layout or rectangles(model, 8192)
    for piece in layout.pieces(rows_of([Share("", 0.0, tuple(segments))])):
        gap_N = (read(model, piece, layout.logits).logp_N - piece.behaviour_N).abs()
        worst = max(worst, float(gap_N.max()))
    return worst
