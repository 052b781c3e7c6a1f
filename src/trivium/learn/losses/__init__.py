"""Losses, one a file.

    Reinforce   reinforce.py    A log p
    Likelihood  likelihood.py   the same on demonstrations
    Cispo       cispo.py        the weight is clipped, no gradient is lost
    Ppo         ppo.py          PPO, GRPO and, with a constant denominator, Dr. GRPO
    K25         k25.py          Kimi K2.5: a mask for both signs, and a squared log-ratio
    Truncated   truncated.py    importance weights on any of them (TIS)
    Kl          kl.py           k1 in the advantage, k2 or k3 in the loss

The seam is base.py; objective.py puts the last two together with one of the others.
"""

from .base import Loss, TokenLoss
from .cispo import Cispo
from .k25 import K25
from .kl import Kl
from .likelihood import Likelihood
from .ppo import Ppo
from .reinforce import Reinforce
from .truncated import Truncated

__all__ = ["K25", "Cispo", "Kl", "Likelihood", "Loss", "Ppo", "Reinforce", "TokenLoss", "Truncated"]
