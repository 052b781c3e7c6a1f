"""Truncated importance weights: TIS (Ionides 2008; for engines that differ from their learner, Yao et al. 2025).

    w_t = stopgrad( min( exp(logp_anchor,t - logp_behaviour,t), cap ) )        loss_t <- w_t loss_t

`anchor` is the learner before its first update on a batch, at the weights that the engine was meant to sample with. So
the two corrections multiply and none counts twice: w_t corrects what engine and learner compute differently, and the
ratio of the loss is that of learner to anchor, which is 1 until the first update.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from trivium.episode import ConfigError

from .base import log_ratio


@dataclass(frozen=True)
class Truncated:
    """Importance weights of at most `cap`, a multiplier on any policy-gradient loss."""

    cap: float

    def __post_init__(self) -> None:
        if not self.cap >= 1:
            raise ConfigError(f"importance weights truncated at {self.cap} bound even exact samples; give 1 or more")

    @torch.no_grad()
    def __call__(self, anchor_N: Tensor, behaviour_N: Tensor) -> tuple[Tensor, Tensor]:
        """(weights, where they were truncated), both (N,)."""
        ratio_N = log_ratio(anchor_N, behaviour_N).exp()
        return ratio_N.clamp(max=self.cap), ratio_N > self.cap
