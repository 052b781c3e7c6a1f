"""LocalEngine: samples from a Hugging Face causal LM in this process, with continuous batching.

Always true: requests join and leave at token boundaries; weights change at a token boundary and void all keys and
values (mode `recompute`), so every log-prob is that of one forward of the whole context under the weights whose id the
token carries; a failure inside a step reaches every waiting caller as an EngineError. In mode `keep_kv` generations
under way go on over their old keys and values instead, and every token that they sample from then on is marked.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from torch import Tensor

from trivium.episode import ConfigError, EngineError, StopReason
from trivium.policy.engine import Generation, Sampling, Weights
from trivium.policy.lora import weights_id

from .continuous_batch import ContinuousBatch, Counters
from .dtype import DType, pick_dtype
from .request import Request
from .select import forward_for

InFlight: TypeAlias = Literal["recompute", "keep_kv"]
"""What a load does to the keys and values of generations under way."""
_SETTLE = 8
"""Turns of the loop given to an episode whose generation ended, so that its next request joins the next step."""


class LocalEngine:
    """An `Engine` over `model`, whose weights are copied: training it changes nothing here until `load`.

    `max_cached_tokens` bounds keys and values, live and parked; a context never exceeds it or the model's own window.
    Steps run in the caller's event loop, one task per busy period; none is left behind when the engine is idle.
    """

    def __init__(
        self,
        model: Any,
        weights: Weights | None = None,
        *,
        max_batch: int = 64,
        max_cached_tokens: int = 1 << 18,
        dtype: DType = "float32",
        in_flight: InFlight = "recompute",
    ) -> None:
        if max_batch < 1 or max_cached_tokens < 2:
            raise ConfigError(f"max_batch {max_batch} and max_cached_tokens {max_cached_tokens} leave no room")
        self._forward = forward_for(model, pick_dtype(dtype, model.device))
        self._weights = weights if weights is not None else Weights(weights_id(model))
        self._batch = ContinuousBatch(self._forward, max_batch, max_cached_tokens, self._weights.id)
        self._in_flight = in_flight
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.window = min(self._forward.window, max_cached_tokens)
        """Longest context, prompt and sampled tokens together."""

    @property
    def weights(self) -> Weights:
        """The weights that the next token will be sampled under."""
        return self._weights

    @property
    def counters(self) -> Counters:
        """Tokens prefilled, decoded, re-used and evicted since the engine was made."""
        return self._batch.counters

    @property
    def cached_tokens(self) -> int:
        """Tokens whose keys and values are held now."""
        return self._batch.cached_tokens

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
        """Sample after `tokens`; see `Engine.generate`. Raises ConfigError when the prompt leaves no room."""
        if self._closed:
            raise EngineError("the engine is closed; make another one")
        future: asyncio.Future[Generation] = asyncio.get_running_loop().create_future()
        limit = min(sampling.max_tokens, self._room(tokens))
        request: Request[Any] = Request(
            tokens, sampling, limit, future, deadline=deadline, priority=priority, cancel=cancel, session=session
        )
        self._batch.submit(request)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="trivium local engine")
        return await future

    def load(self, weights: Weights, state: Mapping[str, Tensor]) -> None:
        """Switch to a copy of a learner's state dict. Raises EngineError, and changes nothing, when it does not fit."""
        self._forward.load(state)
        self._weights = weights
        self._batch.switch(weights.id, keep_kv=self._in_flight == "keep_kv")

    async def close(self) -> None:
        """Answer what runs with what it has (CANCELLED) and free all keys and values."""
        self._closed = True
        self._batch.end(StopReason.CANCELLED)
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def _room(self, tokens: Sequence[int]) -> int:
        if not tokens:
            raise ConfigError("the prompt is empty; a generation needs at least 1 token to read")
        room = self.window - len(tokens)
        if room < 1:
            raise ConfigError(
                f"the prompt has {len(tokens)} tokens and the window is {self.window}; "
                "lower the context budget of the harness or raise max_cached_tokens up to the model's window"
            )
        return room

    async def _run(self) -> None:
        try:
            while self._batch.busy:
                turns = _SETTLE if self._batch.step() else 1
                for _ in range(turns if self._batch.busy else 0):
                    await asyncio.sleep(0)
        except asyncio.CancelledError:
            self._batch.end(EngineError("the task of the engine was cancelled; call close() to end an engine"))
            raise
        except Exception as error:  # noqa: BLE001  the boundary: whatever failed, nobody must wait for ever
            self._batch.end(_failure(error))


def _failure(error: Exception) -> EngineError:
    if isinstance(error, EngineError):
        return error
    failure = EngineError(f"a step of the engine failed ({type(error).__name__}: {error}); look at weights and memory")
    failure.__cause__ = error
    return failure
