"""The token-level clip of Kimi K2.5 (arXiv 2602.02276, section 4.4.2, equation 1).

    rho_t  = exp(logp_theta,t - logp_behaviour,t)
    loss_t = - clamp(rho_t, alpha, beta) A + tau (log rho_t)^2

The clamp masks the policy gradient: outside [alpha, beta] it is zero, whatever the sign of the advantage (PPO masks one
sign only). A masked token still feels the squared log-ratio, which pulls it back. As printed the objective is
maximised; here it is minimised, so both signs are turned. The report bounds rho in the formula and log rho in the
prose; with 0 < alpha < 1 < beta the two agree, since bounds [log alpha, log beta] of log rho are the same mask.
Its alpha, beta and tau are not published; the defaults of a recipe are ours, symmetric in log rho.
"""

from dataclasses import dataclass

from torch import Tensor

from trivium.episode import ConfigError

from .base import TokenLoss, log_ratio, require_range


@dataclass(frozen=True)
class K25:
    """K2.5's clip with the ratio inside [`clip_low`, `clip_high`] (alpha, beta), and `tau` on the squared log-ratio."""

    clip_low: float
    clip_high: float
    tau: float
    reads_behaviour: bool = True

    def __post_init__(self) -> None:
        require_range(self.clip_low, self.clip_high)
        if self.tau < 0:
            raise ConfigError(f"tau is {self.tau} and would push the policy away from its samples; give 0 or more")

    def __call__(self, logp_N: Tensor, behaviour_N: Tensor, advantage_N: Tensor) -> TokenLoss:
        """Per-token losses (N,)."""
        log_rho_N = log_ratio(logp_N, behaviour_N)
        rho_N = log_rho_N.exp()
        bounded_N = rho_N.clamp(self.clip_low, self.clip_high)
        return TokenLoss(-bounded_N * advantage_N + self.tau * log_rho_N.square(), bounded_N != rho_N)
