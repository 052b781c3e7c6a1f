"""CISPO, clipped importance-sampling policy optimisation (MiniMax-M1, arXiv 2506.13585).

    ratio_t = exp(logp_theta,t - logp_behaviour,t)
    loss_t  = - stopgrad(clamp(ratio_t, low, high)) * A * logp_theta,t

The *weight* is clipped, not the gradient: a clipped token keeps learning. Deleted from PPO: the min over two
surrogates.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .base import TokenLoss, log_ratio, require_range


@dataclass(frozen=True)
class Cispo:
    """CISPO with the weight clamped to [`clip_low`, `clip_high`]."""

    clip_low: float
    clip_high: float
    reads_behaviour: bool = True

    def __post_init__(self) -> None:
        require_range(self.clip_low, self.clip_high)

    def __call__(self, logp_N: Tensor, behaviour_N: Tensor, advantage_N: Tensor) -> TokenLoss:
        """Per-token losses (N,)."""
        with torch.no_grad():
            ratio_N = log_ratio(logp_N, behaviour_N).exp()
            weight_N = ratio_N.clamp(self.clip_low, self.clip_high)
        return TokenLoss(-weight_N * advantage_N * logp_N, weight_N != ratio_N)
