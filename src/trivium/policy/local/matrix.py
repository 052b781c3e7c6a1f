"""A weight matrix that many small batches are multiplied with: y = x W^T + b.

On a CPU a large matrix is kept in the order in which oneDNN reads it, put into it once per load
(benchmarks/decode.py measures what that gives). Small matrices stay as they are.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

WORTH = 1 << 20
"""Elements from which the order pays."""


class Matrix:
    """[out, in] weights, in whichever order is fastest."""

    def __init__(self, weight: Tensor) -> None:
        self._ordered = _ordered(weight)
        self._weight = weight if self._ordered is None else None

    def __call__(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """[N, in] -> [N, out]."""
        if self._ordered is None:
            assert self._weight is not None, "a matrix keeps one order"
            return F.linear(x, self._weight, bias)
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self._ordered, bias, "none", [], "")
        return y


def _ordered(weight: Tensor) -> Tensor | None:
    """The weights in oneDNN's order; None where it does not pay, or this build or CPU has none."""
    if weight.device.type != "cpu" or weight.numel() < WORTH or not torch._C._has_mkldnn:
        return None
    try:
        ordered: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
    except (AttributeError, RuntimeError):
        return None
    return ordered
