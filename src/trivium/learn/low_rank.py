"""Linear maps with a LoRA adapter beside them, where there is one: y = x W^T + s (x A^T) B^T, W frozen.

The modules are those that peft put into the model (`Any`: it has no types); without one, the plain map.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def is_plain(module: Any) -> bool:
    """Is it a plain Linear, or one with a plain, unmerged adapter?"""
    if type(module) is nn.Linear:
        return True
    return has_adapter(module) and type(module.base_layer) is nn.Linear and not module.merged


def has_adapter(module: Any) -> bool:
    """Is there an adapter beside this map?"""
    return hasattr(module, "lora_A")


def linear(x: Tensor, module: Any) -> Tensor:
    """(..., in) -> (..., out)."""
    y = F.linear(x, module.weight, module.bias)
    return y + _added(x, module) if has_adapter(module) else y


def fused(x: Tensor, *modules: Any) -> Tensor:
    """The outputs of several linear maps of `x`, side by side, by one matmul (and one for their adapters' A)."""
    bias = None if modules[0].bias is None else torch.cat([module.bias for module in modules])
    y = F.linear(x, torch.cat([module.weight for module in modules]), bias)
    return y + torch.cat([_added(x, module) for module in modules], -1) if any(map(has_adapter, modules)) else y


def _added(x: Tensor, module: Any) -> Tensor:
    if not has_adapter(module):
        return x.new_zeros(*x.shape[:-1], len(module.weight))
    (name,) = module.lora_A
    added: Tensor = F.linear(F.linear(x, module.lora_A[name].weight), module.lora_B[name].weight)
    return added * float(module.scaling[name])
