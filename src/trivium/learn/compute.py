"""The weights that the forward pass reads: the model's own, or a narrower copy of them.

    master (fp32) ── rounded ──> copy (bf16) ── forward, backward ──> gradient (bf16) ── added up in fp32 ──> master

The optimiser sees the master alone, so an update that is smaller than bf16 can hold is not lost. A copy, not autocast:
what is read is exactly what an engine in bf16 reads, the master's weights rounded once. Buffers keep their type:
rotary frequencies that are rounded to bf16 turn late positions by whole radians. Log-probs are computed in fp32 from
fp32 logits whatever the type of the layers (layout.py, logprobs.py). Frozen weights, the base of an adapter, are
rounded once and for all.
"""

import copy
from typing import Any

import torch
from torch import nn


class Compute:
    """`model` computes for `master`. Where both have one type they are one."""

    def __init__(self, master: nn.Module, dtype: torch.dtype | None = None) -> None:
        self.master = master
        same = dtype == next(master.parameters()).dtype
        self.model: Any = master if dtype is None or same else narrowed(master, dtype)

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
        pairs = zip(self.model.parameters(), self.master.parameters(), strict=True)
        return [(own, of) for own, of in pairs if of.requires_grad]


def narrowed(model: nn.Module, dtype: torch.dtype) -> nn.Module:
    """A copy whose parameters (not buffers) are of `dtype`."""
    twin = copy.deepcopy(model)
    for parameter in twin.parameters():
        parameter.grad = None
        parameter.data = parameter.data.to(dtype)
    return twin


def frozen(model: nn.Module) -> nn.Module:
    """A copy that never learns: the reference of a KL penalty. What is frozen in `model` already is shared with it."""
    shared = {id(parameter): parameter for parameter in model.parameters() if not parameter.requires_grad}
    return copy.deepcopy(model, shared).eval().requires_grad_(False)
