"""AdamW with warm-up and a schedule; norms and biases do not decay."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from trivium.episode import ConfigError


@dataclass(frozen=True, kw_only=True)
class AdamWSettings:
    """Settings of AdamW. The learning rate of step s (from 0) is lr * min(1, (s + 1) / warmup) * decay(s).

    `schedule` constant: decay 1. Cosine: 1 -> `floor` over `total` steps, warm-up included.
    """

    lr: float
    clip_norm: float
    """Global gradient norm above which gradients are scaled down."""
    betas: tuple[float, float] = (0.9, 0.95)
    eps: float = 1e-8
    weight_decay: float = 0.0
    warmup: int = 0
    schedule: Literal["constant", "cosine"] = "constant"
    total: int = 0
    floor: float = 0.1

    def __post_init__(self) -> None:
        if self.schedule == "cosine" and self.total <= self.warmup:
            raise ConfigError(f"a cosine schedule over {self.total} steps cannot follow a warm-up of {self.warmup}")
        if self.clip_norm <= 0:
            raise ConfigError(f"gradients cannot be clipped to a norm of {self.clip_norm}; give a positive one")

    def rate(self, step: int) -> float:
        """The learning rate of optimiser step `step`, counted from 0."""
        warm = min(1.0, (step + 1) / self.warmup) if self.warmup else 1.0
        if self.schedule == "constant":
            return self.lr * warm
        progress = min(1.0, max(0, step - self.warmup) / (self.total - self.warmup))
        return self.lr * warm * (self.floor + (1 - self.floor) * (1 + math.cos(math.pi * progress)) / 2)

    def build(self, model: nn.Module) -> torch.optim.AdamW:
        """The optimiser over the trainable parameters of `model`, in two groups: matrices decay, the rest does not."""
        parameters = [p for p in model.parameters() if p.requires_grad]
        if not parameters:
            raise ConfigError("the model has no trainable parameter; unfreeze some, or add an adapter")
        groups = [
            {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": self.weight_decay},
            {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
        ]
        groups = [group for group in groups if group["params"]]
        return torch.optim.AdamW(groups, lr=self.lr, betas=self.betas, eps=self.eps)


def gradient_norm(model: nn.Module) -> Tensor:
    """Global L2 norm of all gradients (not scaled)."""
    return torch.nn.utils.get_total_norm([p.grad for p in model.parameters() if p.grad is not None])
