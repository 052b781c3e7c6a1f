"""A micro-batch: what goes through the model in one pass, laid out side by side or as a tree."""

from dataclasses import dataclass

from torch import Tensor

from .trained_tokens import TrainedTokens


@dataclass(frozen=True, eq=False, kw_only=True)
class MicroBatch:
    """U places predict the N trained tokens: token n at place `which_N[n]`, whose temperature is in `temperature_U`.

    The layouts add the tokens that are read (segment_batch.py, tree_batch.py).
    """

    trained: TrainedTokens
    computed: int
    """Tokens that go through the model, padding left out."""
    which_N: Tensor
    temperature_U: Tensor
