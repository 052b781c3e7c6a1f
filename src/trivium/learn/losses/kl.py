"""Estimates of KL(pi_theta || pi_ref) from sampled tokens, and where each may stand (J. Schulman 2020).

    x_t = logp_theta,t - logp_ref,t
    k1 = x            unbiased as a value                   in the advantage:  A_t <- A_t - b stopgrad(x_t)
    k2 = x^2 / 2      biased as a value                     as a loss:  + b k2,  gradient b x_t grad logp_t
    k3 = e^-x - 1 + x unbiased as a value, never negative   as a loss:  + b k3,  gradient b (1 - e^-x) grad logp_t

Under samples of pi_theta, with E[grad logp] = 0:
* k1 differentiated as a loss has the gradient E[grad logp] = 0: it does nothing. Subtracted from the advantage it gives
  E[x grad logp] = grad KL(pi_theta || pi_ref), which is what is wanted.
* k2 as a loss has that gradient too.
* k3 as a loss has the gradient -E[e^-x grad logp] = -sum_a pi_ref(a) grad logp(a) = grad KL(pi_ref || pi_theta): the
  other KL, a known bias. Its variance explodes where the two part (e^-x is a ratio); Composer 2 therefore takes k1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from torch import Tensor

from trivium.episode import ConfigError

Estimator: TypeAlias = Literal["k1", "k2", "k3"]


def k1(logp_N: Tensor, reference_N: Tensor) -> Tensor:
    """x."""
    return logp_N - reference_N


def k2(logp_N: Tensor, reference_N: Tensor) -> Tensor:
    """x^2 / 2."""
    return (logp_N - reference_N).square() / 2


def k3(logp_N: Tensor, reference_N: Tensor) -> Tensor:
    """e^-x - 1 + x."""
    x_N = logp_N - reference_N
    return (-x_N).expm1() + x_N


ESTIMATORS: dict[Estimator, Callable[[Tensor, Tensor], Tensor]] = {"k1": k1, "k2": k2, "k3": k3}


@dataclass(frozen=True)
class Kl:
    """A penalty for leaving the reference, `coefficient` (b) per nat; 0 is none, and then there is no reference."""

    estimator: Estimator
    coefficient: float

    def __post_init__(self) -> None:
        if self.coefficient < 0:
            raise ConfigError(f"the KL coefficient is {self.coefficient} and would pay for drift; give 0 or more")

    def __call__(self, logp_N: Tensor, reference_N: Tensor) -> Tensor:
        """The estimate of every token (N,), in nats."""
        return ESTIMATORS[self.estimator](logp_N, reference_N)
