"""The seam of a loss: per-token losses of the trained tokens of a batch, summed and divided by the learner."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from trivium.episode import ConfigError

LARGEST_LOG_RATIO = 40.0
"""Log-ratios are bounded to it from above, so that no exp overflows: no bound of a recipe comes near e^40."""


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


def log_ratio(logp_N: Tensor, behaviour_N: Tensor) -> Tensor:
    """log r_t = logp_theta,t - logp_behaviour,t, at most `LARGEST_LOG_RATIO`; no gradient passes above it."""
    return (logp_N - behaviour_N).clamp(max=LARGEST_LOG_RATIO)


def require_range(low: float, high: float) -> None:
    """Refuse a clip range without the ratio 1. Raises ConfigError."""
    if not 0 <= low <= 1 <= high:
        raise ConfigError(
            f"the clip range [{low}, {high}] must satisfy 0 <= low <= 1 <= high; it bounds the ratio itself, "
            "so write 1 - eps_low and 1 + eps_high"
        )
