"""The engine seam: token ids in, sampled token ids out, with the log-prob and the weights id of each.

Always true of a `Generation`: `tokens`, `logprobs` and `versions` have one entry per sampled token; log-probs are nats
of the distribution that was sampled (temperature included); a partial one can be continued by sending prompt and
tokens again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from trivium.episode import ConfigError, StopReason, Versions


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How to sample. A token's draw depends on `seed` and its position in the context alone, whatever else is in the
    batch: a partial generation is continued with the same seed, and every other generation takes a seed of its own."""

    seed: int
    max_tokens: int
    stop_ids: frozenset[int] = frozenset()
    temperature: float = 1.0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise ConfigError(f"temperature is {self.temperature}; it must be 0 (greedy) or more")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"top_p is {self.top_p}; it must be above 0 and at most 1")
        if self.max_tokens < 1:
            raise ConfigError(f"max_tokens is {self.max_tokens}; a generation needs room for at least 1 token")


class Weights(msgspec.Struct, frozen=True):
    """A set of weights, named: content hash, optimiser step, and the parent's hash."""

    id: str
    step: int = 0
    parent: str | None = None


class Generation(msgspec.Struct, frozen=True):
    """What an engine sampled after a prompt."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    versions: Versions
    stop: StopReason


class Engine(Protocol):
    """Something that samples: a model in this process, a script."""

    @property
    def weights(self) -> Weights:
        """The weights that the next token will be sampled under."""
        ...

    async def generate(
        self,
        tokens: Sequence[int],
        sampling: Sampling,
        *,
        deadline: float | None = None,
        priority: int = 0,
        cancel: asyncio.Event | None = None,
        session: str | None = None,
    ) -> Generation:
        """Sample after `tokens`. `deadline` is a `time.monotonic()` value; `session` names an episode's agent, whose
        keys and values are kept between calls. Raises EngineError when the engine itself fails."""
        ...

    def load(self, weights: Weights, state: Mapping[str, Any]) -> None:
        """Switch to other weights (a learner's state dict, which is copied) at a token boundary; every later token
        carries their id. Raises EngineError when they do not fit."""
        ...

    async def close(self) -> None:
        """Cancel what runs and free what is held."""
        ...
