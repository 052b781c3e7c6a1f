"""Log-probs of trained tokens under a model.

    logp_N = log_softmax(h[row_N, column_N - 1] W^T / temperature_N)[target_N]       in fp32 or wider

Logits are computed at the positions that need them, and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from .batch import Share
from .forward import hidden_states, unsupported
from .micro import Micro, collate, pack, rows_of
from .segments import Segment

Logits: TypeAlias = Callable[[nn.Module, Micro], Tensor]


@dataclass(frozen=True)
class Read:
    """`logp_N` (differentiable) and `entropy_N` (nats, of the sampled distribution) at the trained tokens."""

    logp_N: Tensor
    entropy_N: Tensor


def read(model: nn.Module, micro: Micro, logits: Logits) -> Read:
    """What the model says of the trained tokens of a micro-batch."""
    logits_NV = logits(model, micro)
    wide = torch.promote_types(logits_NV.dtype, torch.float32)
    logp_NV = (logits_NV.to(wide) / micro.temperature_N.to(wide)[:, None]).log_softmax(-1)
    with torch.no_grad():
        entropy_N = -(logp_NV.exp() * logp_NV).nan_to_num_(nan=0.0, neginf=0.0).sum(-1)
    return Read(logp_NV.gather(1, micro.target_N[:, None])[:, 0], entropy_N)


def logits_path(model: nn.Module) -> Logits:
    """The way to logits that is exact for `model`: our own forward where it is on the allow-list, else the model's."""
    return own_logits if unsupported(model) is None else module_logits


def own_logits(model: Any, micro: Micro) -> Tensor:
    """Logits (N, V) by our forward; the head is applied at trained positions only."""
    hidden_ND = hidden_states(model, micro.tokens_BT, micro.row_N, micro.column_N - 1)
    return torch.nn.functional.linear(hidden_ND, model.lm_head.weight)


def module_logits(model: Any, micro: Micro) -> Tensor:
    """Logits (N, V) by the model's own forward over every position: exact for any causal model, and slower."""
    logits_BTV = model(input_ids=micro.tokens_BT, use_cache=False).logits
    picked: Tensor = logits_BTV[micro.row_N, micro.column_N - 1]
    return picked


@torch.no_grad()
def parity(model: nn.Module, segments: Sequence[Segment], *, max_tokens: int = 8192) -> float:
    """max |logp - behaviour| over the trained tokens: below 1e-4 in fp32 when the weights are those that sampled."""
    worst = 0.0
    weight = next(model.parameters())
    path = logits_path(model)
    for rows in pack(rows_of([Share("", 0.0, tuple(segments))]), max_tokens):
        micro = collate(rows, dtype=torch.promote_types(weight.dtype, torch.float32), device=weight.device)
        gap_N = (read(model, micro, path).logp_N - micro.behaviour_N).abs()
        worst = max(worst, float(gap_N.max()))
    return worst
