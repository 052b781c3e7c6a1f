"""REINFORCE and supervised likelihood: the same formula, loss_t = - A * logp_theta,t.

`Reinforce` is policy gradient without an off-policy weight (exact only while behaviour equals policy); `Likelihood` is
cross-entropy on demonstrations, with A a weight (1) and no behaviour policy known.
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


@dataclass(frozen=True)
class Likelihood(Reinforce):
    """loss_t = - weight * logp_theta,t, on text whose author is no policy of ours."""

    reads_behaviour: bool = False
