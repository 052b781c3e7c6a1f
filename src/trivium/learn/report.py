"""What a learner step says about itself; parity between engine and learner is always in it.

With r_t = exp(logp_theta,t - logp_behaviour,t) over the N trained tokens:
    ESS = (sum r)^2 / (N sum r^2), in (0, 1]        k3 = mean(r - 1 - log r) >= 0, an estimate of KL(behaviour || theta)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

QUANTILES = (0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True)
class Parity:
    """How far the learner's log-probs are from those the engine sampled at."""

    tokens: int
    ratio: dict[float, float]
    """Quantiles of r_t."""
    max_log_ratio: float
    """max |log r_t|."""
    ess: float
    k3: float


@dataclass(frozen=True)
class SubstepReport:
    """One optimiser step."""

    loss: float
    grad_norm: float
    lr: float
    tokens: int
    clipped: float
    """Fraction of tokens whose weight was clipped."""
    entropy: float
    """Mean entropy (nats) at the trained tokens."""
    parity: Parity | None
    truncated: float | None = None
    """Fraction of tokens whose importance weight was truncated (None: no such weights)."""
    kl: float | None = None
    """Mean estimate (nats) of the divergence from the reference (None: no penalty)."""


@dataclass(frozen=True)
class StepReport:
    """One batch. `parity` is over all sub-steps; that of the first one, before any update, is `substeps[0].parity`."""

    step: int
    substeps: tuple[SubstepReport, ...]
    tokens_trained: int
    tokens_read: int
    """Tokens of all rows, padding left out."""
    seconds: float
    parity: Parity | None
    counts: dict[str, int]

    @property
    def entropy(self) -> float:
        """Mean entropy (nats) over the trained tokens."""
        return _mean([(s.entropy, s.tokens) for s in self.substeps])

    @property
    def clipped(self) -> float:
        """Fraction of trained tokens whose weight was clipped."""
        return _mean([(s.clipped, s.tokens) for s in self.substeps])

    @property
    def truncated(self) -> float | None:
        """Fraction of trained tokens whose importance weight was truncated (None: no such weights)."""
        return _known([(s.truncated, s.tokens) for s in self.substeps])

    @property
    def kl(self) -> float | None:
        """Mean estimate (nats) of the divergence from the reference (None: no penalty)."""
        return _known([(s.kl, s.tokens) for s in self.substeps])

    @property
    def grad_norm(self) -> float:
        """Largest gradient norm of the sub-steps, before clipping."""
        return max((s.grad_norm for s in self.substeps), default=0.0)


def measure(log_ratio_N: Tensor) -> Parity:
    """Parity of the trained tokens, from log r_t."""
    x = log_ratio_N.double()
    r = x.clamp(max=700.0).exp()
    scaled = (x - x.max()).exp()
    ess = scaled.sum() ** 2 / (len(x) * (scaled**2).sum())
    ordered = r.sort().values
    ratio = {q: float(ordered[min(len(x) - 1, int(q * len(x)))]) for q in QUANTILES}
    return Parity(len(x), ratio, float(x.abs().max()), float(ess), float((r - 1 - x).mean()))


def joined(log_ratios: Sequence[Tensor]) -> Parity | None:
    """Parity over several micro-batches; None when nothing was measured."""
    return measure(torch.cat(list(log_ratios))) if any(map(len, log_ratios)) else None


def _known(pairs: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, weight) for value, weight in pairs if value is not None]
    return _mean(known) if known else None


def _mean(pairs: Sequence[tuple[float, int]]) -> float:
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else 0.0
