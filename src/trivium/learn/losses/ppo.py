"""The clipped surrogate of PPO (arXiv 1707.06347), per token as in GRPO (arXiv 2402.03300).

    ratio_t = exp(logp_theta,t - logp_behaviour,t)
    loss_t  = - min( ratio_t A, clamp(ratio_t, low, high) A )        low = 1 - eps_low, high = 1 + eps_high

A token stops learning once its ratio has left the range in the direction in which its advantage pushes; in the other
direction nothing is clipped. PPO has one eps (0.2); DAPO (arXiv 2503.14476) takes a larger eps_high (0.28), so that
rare tokens can still rise. The rest of GRPO is the baseline, and a KL penalty (`Kl`).

Deleted from GRPO: the division by the group's standard deviation and by each episode's length. What is left is
Dr. GRPO (arXiv 2503.20783) when the denominator is its constant one: baseline `group_mean`, loss `ppo`, denominator
`constant`. So Dr. GRPO is a choice of keys and no loss of its own.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .base import TokenLoss, log_ratio, require_range


@dataclass(frozen=True)
class Ppo:
    """PPO's clip with the ratio bounded to [`clip_low`, `clip_high`]."""

    clip_low: float
    clip_high: float
    reads_behaviour: bool = True

    def __post_init__(self) -> None:
        require_range(self.clip_low, self.clip_high)

    def __call__(self, logp_N: Tensor, behaviour_N: Tensor, advantage_N: Tensor) -> TokenLoss:
        """Per-token losses (N,)."""
        ratio_N = log_ratio(logp_N, behaviour_N).exp()
        free_N, bounded_N = ratio_N * advantage_N, ratio_N.clamp(self.clip_low, self.clip_high) * advantage_N
        return TokenLoss(-torch.minimum(free_N, bounded_N), bounded_N < free_N)
