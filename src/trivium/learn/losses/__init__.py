"""Losses, one a file: Loss (base), Cispo, Reinforce and Likelihood."""

from .base import Loss, TokenLoss
from .cispo import Cispo
from .reinforce import Likelihood, Reinforce

__all__ = ["Cispo", "Likelihood", "Loss", "Reinforce", "TokenLoss"]
