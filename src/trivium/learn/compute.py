"""The weights that the forward pass reads: the model's own, or a narrower copy of them.

    master (fp32) ── rounded ──> copy (bf16) ── forward, backward ──> gradient (bf16) ── added up in fp32 ──> master

The optimiser sees the master alone, so an update that is smaller than bf16 can hold is not lost. A copy, not autocast:
what is read is exactly what an engine in bf16 reads, the master's weights rounded once. Buffers keep their type:
rotary frequencies that are rounded to bf16 turn late positions by whole radians. Log-probs are computed in fp32 from
fp32 logits whatever the type of the layers (layout.py, logprobs.py).
"""

import copy
from typing import Any

import torch
from torch import nn


class Compute:
    """`model` computes for `master`. Where both have one type they are one."""

    def __init__(self, master: nn.Module, dtype: torch.dtype | None = None) -> None:
        self.master = master
        same = dtype is None or dtype == next(master.parameters()).dtype
        self.model: Any = master if same else narrowed(master, dtype)

    @torch.no_grad()
    def refresh(self) -> None:
        """Take over the master's weights."""
        for own, of in self._pairs():
            own.copy_(of)

    @torch.no_grad()
    def collect(self) -> None:
        """Add the gradients of this backward pass to the master's, and clear them here."""
        for own, of in self._pairs():
            if own.grad is not None:
                of.grad = own.grad.to(of.dtype) if of.grad is None else of.grad.add_(own.grad)
                own.grad = None

    def _pairs(self) -> list[tuple[nn.Parameter, nn.Parameter]]:
        if self.model is self.master:
            return []
        return list(zip(self.model.parameters(), self.master.parameters(), strict=True))


def narrowed(model: nn.Module, dtype: torch.dtype | None = None) -> nn.Module:
    """A copy whose parameters (not buffers) are of `dtype`; None: as they are."""
    twin = copy.deepcopy(model)
    for parameter in twin.parameters():
        parameter.grad = None
        parameter.data = parameter.data.to(dtype or parameter.dtype)
    return twin


def frozen(model: nn.Module, dtype: torch.dtype | None = None) -> nn.Module:
    """A copy that never learns: the reference of a KL penalty."""
    return narrowed(model, dtype).eval().requires_grad_(False)
