"""The seam under the engine: what runs a model over the keys and values that it has already computed.

Always true: a `KV` holds the keys and values of its first `length` tokens at positions 0..length-1, computed under one
set of weights; `prefill` and `decode` extend it and return the logits after its last token. Logits are [R, V], one row
per entry of the call, in the call's order.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import torch


class KV(Protocol):
    """Keys and values of one context; only the Forward that made it looks inside."""

    length: int


K = TypeVar("K", bound=KV)


class Forward(Protocol[K]):
    """One model on one device. Not thread-safe: the engine's task is the only caller."""

    window: int
    """The longest context that the model reads (tokens)."""

    def empty(self) -> K:
        """Keys and values of the empty context."""
        ...

    def crop(self, kv: K, length: int) -> None:
        """Keep the first `length` positions, or none where the architecture cannot step back."""
        ...

    def fork(self, kv: K, length: int) -> K | None:
        """A copy of the first `length` positions, or None where the architecture cannot step back."""
        ...

    def prefill(self, work: Sequence[tuple[K, Sequence[int]]]) -> torch.Tensor:
        """Read one or more tokens (never zero) after each context."""
        ...

    def decode(self, kvs: Sequence[K], tokens: Sequence[int]) -> torch.Tensor:
        """Read one token after each context; a context that decodes keeps its seat in the batch until `park`."""
        ...

    def park(self, kv: K) -> None:
        """Take a context out of the decoding batch and keep it compactly."""
        ...

    def drop(self, kv: K) -> None:
        """Take a context out of the decoding batch and free it."""
        ...

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Copy other weights in; every KV made before is void. Raises EngineError, with the old weights kept, when
        names or shapes do not fit."""
        ...
