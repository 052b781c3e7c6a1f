"""Which forward runs a model: the fast one for models on the allow-list, the generic one for all others."""

from typing import Any

import torch

from .fast import FastForward
from .forward import Forward
from .generic import GenericForward
from .shape import shape_of


def forward_for(model: Any, dtype: torch.dtype) -> Forward[Any]:
    """A forward over a private copy of the model's weights."""
    shape = shape_of(model.config)
    return GenericForward(model, dtype) if shape is None else FastForward(model, shape, dtype)
