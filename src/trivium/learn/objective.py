"""The objective: a loss, the truncated weight on it, and the penalty for leaving a reference.

    loss_t = w_t L( logp_t, old_t, A_t - b k1_t ) + b k_t        k1 or (k2, k3), never both

`old_t` is the behaviour log-prob; with truncated weights w_t (losses/truncated.py) it is the anchor's, and w_t corrects
from the engine to the anchor. Penalties (losses/kl.py) carry no weight w_t.
"""

from dataclasses import dataclass

from torch import Tensor

from trivium.episode import ConfigError

from .losses import Kl, Loss, TokenLoss, Truncated
from .trained_tokens import TrainedTokens


@dataclass(frozen=True)
class Terms(TokenLoss):
    """The loss of every token; where its weight was truncated, and its divergence, when those are asked for."""

    truncated_N: Tensor | None = None
    kl_N: Tensor | None = None


@dataclass(frozen=True)
class Objective:
    """What a learner minimises."""

    loss: Loss
    truncated: Truncated | None = None
    kl: Kl | None = None

    def __post_init__(self) -> None:
        if self.truncated and not self.loss.reads_behaviour:
            raise ConfigError("truncated weights need behaviour log-probs, which a supervised loss does not read")

    @property
    def reads_reference(self) -> bool:
        """Is a reference needed?"""
        return self.kl is not None and self.kl.coefficient > 0

    def __call__(
        self,
        logp_N: Tensor,
        trained: TrainedTokens,
        *,
        anchor_N: Tensor | None = None,
        reference_N: Tensor | None = None,
    ) -> Terms:
        """The terms of every token. `anchor_N`: its log-probs before the first update (None: those of now)."""
        old_N, advantage_N, weight_N, truncated_N = trained.behaviour_N, trained.advantage_N, None, None
        if self.truncated:
            old_N = logp_N.detach() if anchor_N is None else anchor_N
            weight_N, truncated_N = self.truncated(old_N, trained.behaviour_N)
        if self.kl is None or reference_N is None:
            told = self.loss(logp_N, old_N, advantage_N)
            return Terms(_times(weight_N, told.loss_N), told.clipped_N, truncated_N)
        kl_N = self.kl(logp_N, reference_N)
        penalty_N = self.kl.coefficient * kl_N
        shaped = self.kl.estimator == "k1"
        told = self.loss(logp_N, old_N, advantage_N - penalty_N.detach() if shaped else advantage_N)
        loss_N = _times(weight_N, told.loss_N)
        return Terms(loss_N if shaped else loss_N + penalty_N, told.clipped_N, truncated_N, kl_N.detach())


def _times(weight_N: Tensor | None, loss_N: Tensor) -> Tensor:
    return loss_N if weight_N is None else weight_N * loss_N
