"""The seam of a loss: per-token losses of the trained tokens of a batch, summed and divided by the learner."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


@dataclass(frozen=True)
class TokenLoss:
    """`loss_N`, differentiable through the log-probs, and `clipped_N`: where the loss bounded a weight."""

    loss_N: Tensor
    clipped_N: Tensor


class Loss(Protocol):
    """A policy loss. N runs over the trained tokens; the learner computes sum(loss_N) / denominator."""

    @property
    def reads_behaviour(self) -> bool:
        """False for supervised losses: behaviour log-probs are then neither read nor reported."""
        ...

    def __call__(self, logp_N: Tensor, behaviour_N: Tensor, advantage_N: Tensor, /) -> TokenLoss:
        """Per-token losses from the learner's and the engine's log-probs (nats) and the advantages, all (N,)."""
        ...
