"""Log-probs of trained tokens under a model.

    logp_U = log_softmax(h_U W^T / temperature_U)        logp_N = logp_U[which_N, target_N]        in fp32 or wider

Logits are computed at the positions that need them, and nowhere else. Where those of a micro-batch would fill more than
`CHUNK` numbers, they are computed a run of places at a time, and again in the backward pass, so that a large vocabulary
costs time and not memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .batch import Share
from .layout import B, Layout, Predict, Predictions, segment_layout
from .micro_batch import MicroBatch
from .segments import Segment
from .trained_tokens import weighted_segments

CHUNK = 1 << 25
"""Logits held at once (128 MB in fp32)."""


@dataclass(frozen=True)
class Read:
    """`logp_N` (differentiable) and `entropy_N` (nats, of the sampled distribution) at the trained tokens."""

    logp_N: Tensor
    entropy_N: Tensor


def read(model: Any, micro_batch: B, predict: Predict[B]) -> Read:
    """What the model says of the trained tokens of a micro-batch."""
    said = predict(model, micro_batch)
    places = max(1, CHUNK // model.config.vocab_size)
    if len(said.hidden_UD) <= places:
        return Read(*_logp(said, micro_batch, slice(None), slice(None)))
    parts, order = [], []
    for start in range(0, len(said.hidden_UD), places):
        run = slice(start, start + places)
        trained_C = ((micro_batch.which_N >= run.start) & (micro_batch.which_N < run.stop)).nonzero().squeeze(1)
        order.append(trained_C)
        parts.append(
            checkpoint(_logp, said, micro_batch, run, trained_C, use_reentrant=False, preserve_rng_state=False)
        )
    back_N = torch.cat(order).argsort()
    logp_N, entropy_N = (torch.cat(part)[back_N] for part in zip(*parts, strict=True))
    return Read(logp_N, entropy_N)


def _logp(said: Predictions, micro_batch: MicroBatch, run: slice, trained_C: Tensor | slice) -> tuple[Tensor, Tensor]:
    """Log-probs and entropies of the trained tokens `trained_C`, which the places of `run` predict."""
    logits_UV = said.logits(run)
    wide = torch.promote_types(logits_UV.dtype, torch.float32)
    logp_UV = (logits_UV.to(wide) / micro_batch.temperature_U[run].to(wide)[:, None]).log_softmax(-1)
    with torch.no_grad():
        entropy_U = -(logp_UV.exp() * logp_UV).nan_to_num_(nan=0.0, neginf=0.0).sum(-1)
    which_C = micro_batch.which_N[trained_C] - (run.start or 0)
    return logp_UV[which_C, micro_batch.trained.target_N[trained_C]], entropy_U[which_C]


@torch.no_grad()
def parity(model: nn.Module, segments: Sequence[Segment], layout: Layout[Any] | None = None) -> float:
    """max |logp - behaviour| over the trained tokens: below 1e-4 in fp32 when the weights are those that sampled.

    `layout`: segments, 8,192 tokens at a time, where none is given.
    """
    worst = 0.0
    layout = layout or segment_layout(model, 8192)
    for micro_batch in layout.micro_batches(weighted_segments([Share("", 0.0, tuple(segments))])):
        gap_N = (read(model, micro_batch, layout.predict).logp_N - micro_batch.trained.behaviour_N).abs()
        worst = max(worst, float(gap_N.max()))
    return worst
