"""Which forward runs a model: the fast one for models on the allow-list, the generic one for all others."""

from typing import Any

import torch

from trivium.policy import lora

from .fast import FastForward
from .forward import Forward
from .generic import GenericForward
from .low_rank import PROJECTIONS
from .shape import shape_of


def forward_for(model: Any, dtype: torch.dtype) -> Forward[Any]:
    """A forward over a private copy of the model's weights."""
    shape = shape_of(model.config)
    if shape is None or not lora.adapted_modules(model) <= PROJECTIONS:
        return GenericForward(model, dtype)
    return FastForward(model, shape, dtype)
