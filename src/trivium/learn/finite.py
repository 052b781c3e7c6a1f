"""Nothing is stepped on what is not finite: the token, or the parameter, is named."""

import torch
from torch import Tensor, nn

from .errors import NonFiniteError
from .trained_tokens import TrainedTokens


def require_finite(loss_N: Tensor, trained: TrainedTokens) -> None:
    """Raise NonFiniteError for the first token whose loss is NaN or infinite."""
    loss_N = loss_N.detach()
    bad = (~torch.isfinite(loss_N)).nonzero()
    if len(bad):
        index = int(bad[0])
        raise NonFiniteError(
            f"the loss of {trained.where(index)} is {float(loss_N[index])} (behaviour log-prob "
            f"{float(trained.behaviour_N[index])}, advantage {float(trained.advantage_N[index])}); look at the weights "
            "and the learning rate, then resume from the last checkpoint"
        )


def culprit(model: nn.Module) -> str:
    """Why a gradient norm is not finite, and what to do."""
    for name, parameter in model.named_parameters():
        if parameter.grad is not None and not torch.isfinite(parameter.grad).all():
            return f"parameter {name}; lower the learning rate and resume from the last checkpoint"
    return "its norm overflows; lower the learning rate and resume from the last checkpoint"
