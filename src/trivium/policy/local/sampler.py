"""Sampling one token per row, with the exact log-prob of the distribution it was drawn from.

For logits z, temperature τ and p = softmax(z / τ) in fp32: the token is the first whose cumulative probability exceeds
u (inverse CDF in float64, one uniform per row), its log-prob is ln p. With top-p below 1, p is cut to the smallest set
of likeliest tokens with at least that mass and renormalised. With τ = 0 the distribution is a point: log-prob 0.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from trivium.episode import EngineError


def sample(
    logits_RV: Tensor, temperatures: Sequence[float], top_ps: Sequence[float], uniforms: Sequence[float]
) -> tuple[list[int], list[float]]:
    """One token and its log-prob (nats) per row. Raises EngineError when the logits are not finite."""
    scores = logits_RV.float()
    if any(value not in (0.0, 1.0) for value in temperatures):
        scores = scores / _column([value or 1.0 for value in temperatures], scores)
    probs = torch.softmax(scores, dim=-1)
    if any(value < 1.0 for value in top_ps):
        probs = _nucleus(probs, _column(top_ps, probs))
    drawn_R1 = _draw(probs, torch.tensor(uniforms, dtype=torch.float64, device=probs.device)[:, None])
    logprobs = probs.gather(1, drawn_R1).log().squeeze(1)
    if 0.0 in temperatures:
        greedy = _column(temperatures, scores) == 0
        drawn_R1 = torch.where(greedy, scores.argmax(-1, keepdim=True), drawn_R1)
        logprobs = logprobs.masked_fill(greedy.squeeze(1), 0.0)
    values: list[float] = logprobs.tolist()
    if not bool(torch.isfinite(logprobs).all()):
        row = next(row for row, value in enumerate(values) if not abs(value) < float("inf"))
        raise EngineError(f"row {row} of the batch has logits that are not finite; look at the weights")
    return drawn_R1.squeeze(1).tolist(), values


def _draw(probs_RV: Tensor, uniforms_R1: Tensor) -> Tensor:
    """First index whose cumulative probability exceeds u times the total: one of positive probability, always."""
    cumulative = probs_RV.cumsum(-1, dtype=torch.float64)
    total = cumulative[:, -1:]
    target = torch.minimum(uniforms_R1 * total, torch.nextafter(total, torch.zeros_like(total)))
    return torch.searchsorted(cumulative, target, right=True).clamp_(max=probs_RV.shape[1] - 1)


def _nucleus(probs_RV: Tensor, top_p_R1: Tensor) -> Tensor:
    """Keep the likeliest tokens until their mass reaches top-p; renormalise."""
    ordered, index = probs_RV.sort(dim=-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    kept = ordered.masked_fill(before >= top_p_R1, 0.0)
    full = torch.where(top_p_R1 < 1.0, torch.zeros_like(probs_RV).scatter_(1, index, kept), probs_RV)
    return full / full.sum(-1, keepdim=True)


def _column(values: Sequence[float], like: Tensor) -> Tensor:
    return torch.tensor(values, dtype=like.dtype, device=like.device)[:, None]
