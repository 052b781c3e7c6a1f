"""Likelihood: cross-entropy on demonstrations, loss_t = - A * logp_theta,t with A a weight (1)."""

from dataclasses import dataclass

from .reinforce import Reinforce


@dataclass(frozen=True)
class Likelihood(Reinforce):
    """REINFORCE's formula on text whose author is no policy of ours, so that there is no ratio."""

    reads_behaviour: bool = False
