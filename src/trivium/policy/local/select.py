"""Which forward runs a model: the fast one for the Llama family, the generic one for all others."""

from typing import Any

import torch

from trivium.policy import lora
from trivium.policy.llama_family import has_static_rope, outside_family

from .fast import FastForward
from .forward import Forward
from .generic import GenericForward
from .low_rank import PROJECTIONS
from .shape import shape_of


def forward_for(model: Any, dtype: torch.dtype) -> Forward[Any]:
    """A forward over a private copy of the model's weights."""
    if is_fast(model):
        return FastForward(model, shape_of(model.config), dtype)
    return GenericForward(model, dtype)


def is_fast(model: Any) -> bool:
    """Does the fast forward read this model exactly as its own does? Its rotary frequencies are computed once."""
    known = outside_family(model) is None and has_static_rope(model.config)
    return known and lora.adapted_modules(model) <= PROJECTIONS
