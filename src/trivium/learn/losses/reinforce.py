"""REINFORCE (Williams 1992): loss_t = - A * logp_theta,t.

Policy gradient without an off-policy weight, and exact only while behaviour equals policy.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .base import TokenLoss


@dataclass(frozen=True)
class Reinforce:
    """loss_t = - A * logp_theta,t."""

    reads_behaviour: bool = True

    def __call__(self, logp_N: Tensor, behaviour_N: Tensor, advantage_N: Tensor) -> TokenLoss:
        """Per-token losses (N,)."""
        return TokenLoss(-advantage_N * logp_N, torch.zeros_like(logp_N, dtype=torch.bool))
