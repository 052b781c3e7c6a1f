"""The generic forward: any Hugging Face causal LM through its own code, one context at a time. Slow, and the reference.

Always true: the module is a private copy, so that training the original changes nothing until `load`.
"""

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from trivium.episode import EngineError
from trivium.policy import lora


@dataclass(eq=False)
class Held:
    """A Hugging Face cache and the number of tokens it has read."""

    cache: Any
    length: int = 0


class GenericForward:
    """A `Forward` over `Held` caches."""

    def __init__(self, model: Any, dtype: torch.dtype) -> None:
        self._model = copy.deepcopy(model).to(dtype).eval()
        text = self._model.config.get_text_config(decoder=True)
        self.window: int = getattr(text, "max_position_embeddings", None) or 2**31
        takes = inspect.signature(self._model.forward).parameters
        self._cache_name = "cache" if "cache" in takes else "past_key_values"

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Copy other weights in; raises EngineError when they do not fit, and keeps the old ones."""
        if lora.is_adapted(self._model):
            self._load_adapter(state)
            return
        own = self._model.state_dict()
        held = {tensor.data_ptr() for name, tensor in own.items() if name in state}
        lacking = [name for name, tensor in own.items() if name not in state and tensor.data_ptr() not in held]
        unfit = [name for name, tensor in state.items() if name not in own or own[name].shape != tensor.shape]
        if lacking or unfit:
            name = (lacking + unfit)[0]
            raise EngineError(f"{name} is missing, unknown or misshapen; load weights of the engine's own model")
        self._model.load_state_dict(dict(state), strict=False)

    def _load_adapter(self, state: Mapping[str, Tensor]) -> None:
        try:
            lora.place(self._model, state)
        except KeyError as error:
            raise EngineError(
                f"{error} is missing, unknown or misshapen; load the adapter that the engine was made with"
            ) from error

    def empty(self) -> Held:
        """The empty cache."""
        return Held(DynamicCache(config=self._model.config))

    def crop(self, kv: Held, length: int) -> None:
        """Keep the first `length` positions; a cache with windows or recurrence cannot step back and starts again."""
        if length >= kv.length:
            return
        if length and _can_step_back(kv.cache):
            kv.cache.crop(length - kv.length)
            kv.length = length
        else:
            self.drop(kv)

    def fork(self, kv: Held, length: int) -> Held | None:
        """A copy of the first `length` positions, where the cache can step back."""
        if not _can_step_back(kv.cache):
            return None
        twin = copy.deepcopy(kv)
        self.crop(twin, length)
        return twin

    def park(self, kv: Held) -> None:
        """Nothing to do: every context owns its cache."""

    def drop(self, kv: Held) -> None:
        """Start again."""
        kv.cache, kv.length = self.empty().cache, 0

    def prefill(self, work: Sequence[tuple[Held, Sequence[int]]]) -> Tensor:
        """Read the runs, one after the other."""
        return torch.cat([self._read(kv, run) for kv, run in work])

    def decode(self, kvs: Sequence[Held], tokens: Sequence[int]) -> Tensor:
        """Read one token each, one after the other."""
        return torch.cat([self._read(kv, [token]) for kv, token in zip(kvs, tokens, strict=True)])

    def _read(self, kv: Held, run: Sequence[int]) -> Tensor:
        ids = torch.tensor([list(run)], device=self._model.device)
        out = self._model(input_ids=ids, use_cache=True, logits_to_keep=1, **{self._cache_name: kv.cache})
        kv.length += len(run)
        logits: Tensor = out.logits[:, -1]
        return logits


def _can_step_back(cache: Any) -> bool:
    """True where every layer is plain full attention, so that cutting the cache is exact."""
    return all(type(layer).__name__ == "DynamicLayer" for layer in cache.layers)
