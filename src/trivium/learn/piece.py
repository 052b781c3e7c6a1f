"""A piece of a batch: some rows as tensors, whatever their layout."""

from typing import Protocol

from torch import Tensor

from .micro import Row


class Piece(Protocol):
    """What is read, and what the loss needs. U places predict the N trained tokens, token n at place `which_N[n]`."""

    rows: tuple[Row, ...]
    target_N: Tensor
    behaviour_N: Tensor
    temperature_U: Tensor
    which_N: Tensor
    advantage_N: Tensor

    @property
    def computed(self) -> int:
        """Tokens that go through the model."""
        ...

    def where(self, index: int) -> str:
        """Trained token `index` in words, for an error."""
        ...
