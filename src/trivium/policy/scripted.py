"""ScriptedEngine: answers from a script, for tests and benchmarks. Imports no torch.

A script is a function of the prompt's token ids that returns the answer (text, or token ids); or an async generator
function, of which each session gets its own: called with the first prompt, it yields an answer and is sent the next
prompt. Log-probs are 0 (the script was certain), the weights id is "scripted".
"""

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from trivium.episode import ConfigError, EngineError, StopReason, Versions

from .engine import Generation, Sampling, Weights

Reply: TypeAlias = str | Sequence[int]
Script: TypeAlias = Callable[[Sequence[int]], Reply]
AsyncScript: TypeAlias = Callable[[Sequence[int]], AsyncGenerator[Reply, Sequence[int]]]


class ScriptedEngine:
    """An `Engine` that says what it is told. `encode` turns text into ids; `stop_id` is added to every whole answer."""

    def __init__(
        self,
        script: Script | AsyncScript,
        encode: Callable[[str], Sequence[int]] | None = None,
        stop_id: int | None = None,
    ) -> None:
        self._script, self._encode, self._stop_id = script, encode, stop_id
        self._running: dict[str | None, AsyncGenerator[Reply, Sequence[int]]] = {}
        self._pending: dict[str | None, asyncio.Task[Reply]] = {}
        self._is_async = inspect.isasyncgenfunction(script)
        self._weights = Weights("scripted")
        self._closed = False

    @property
    def weights(self) -> Weights:
        """Always "scripted", until `load` gives the script another name."""
        return self._weights

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
        """The script's answer, cut at `max_tokens` and after the first stop id."""
        if self._closed:
            raise EngineError("the engine is closed; make another one")
        if cancel is not None and cancel.is_set():
            return self._generation((), StopReason.CANCELLED)
        if deadline is not None and time.monotonic() >= deadline:
            return self._generation((), StopReason.DEADLINE)
        if self._is_async:
            reply = await self._wait(self._ask(session, tokens), deadline, cancel)
            if isinstance(reply, StopReason):
                return self._generation((), reply)
            self._pending.pop(session)
        else:
            reply = cast(Script, self._script)(tokens)
        return self._cut(reply, sampling)

    def load(self, weights: Weights, state: Mapping[str, Any]) -> None:
        """Later answers carry this id."""
        self._weights = weights

    async def close(self) -> None:
        """End the scripts."""
        self._closed = True
        for task in self._pending.values():
            task.cancel()
        await asyncio.gather(*self._pending.values(), return_exceptions=True)
        for script in self._running.values():
            await script.aclose()

    def _ask(self, session: str | None, tokens: Sequence[int]) -> "asyncio.Task[Reply]":
        """The answer on its way: a script that was slower than its deadline goes on and answers the next call."""
        task = self._pending.get(session)
        if task is None:
            task = self._pending[session] = asyncio.create_task(self._turn(session, tokens))
        return task

    async def _turn(self, session: str | None, tokens: Sequence[int]) -> Reply:
        script = self._running.get(session)
        try:
            if script is not None:
                return await script.asend(tokens)
            script = self._running[session] = cast(AsyncScript, self._script)(tokens)
            return await anext(script)
        except StopAsyncIteration:
            raise EngineError(f"the script of session {session} is over; let it yield an answer more") from None

    async def _wait(
        self, answer: "asyncio.Task[Reply]", deadline: float | None, cancel: asyncio.Event | None
    ) -> Reply | StopReason:
        """The answer, or why it was not waited for."""
        timeout = None if deadline is None else deadline - time.monotonic()
        cancelled = None if cancel is None else asyncio.ensure_future(cancel.wait())
        watched = [task for task in (answer, cancelled) if task is not None]
        try:
            await asyncio.wait(watched, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if cancelled is not None:
                cancelled.cancel()
        if answer.done():
            return answer.result()
        return StopReason.CANCELLED if cancel is not None and cancel.is_set() else StopReason.DEADLINE

    def _cut(self, reply: Reply, sampling: Sampling) -> Generation:
        tokens = list(self._ids(reply))
        if self._stop_id is not None and (not tokens or tokens[-1] != self._stop_id):
            tokens.append(self._stop_id)
        stop_ids = sampling.stop_ids
        end = next((i + 1 for i, token in enumerate(tokens) if token in stop_ids), None)
        if end is not None and end <= sampling.max_tokens:
            return self._generation(tokens[:end], StopReason.STOP)
        if len(tokens) >= sampling.max_tokens:
            return self._generation(tokens[: sampling.max_tokens], StopReason.LENGTH)
        raise ConfigError(
            f"the script's answer ends with no stop id of {sorted(stop_ids)} and before max_tokens "
            f"{sampling.max_tokens}; give ScriptedEngine the renderer's stop_id"
        )

    def _ids(self, reply: Reply) -> Sequence[int]:
        if not isinstance(reply, str):
            return reply
        if self._encode is None:
            raise ConfigError("the script answered with text and the engine has no encode; give it one, or return ids")
        return self._encode(reply)

    def _generation(self, tokens: Sequence[int], stop: StopReason) -> Generation:
        count = len(tokens)
        versions = Versions((self._weights.id,), (count,)) if count else Versions((), ())
        return Generation(tuple(tokens), (0.0,) * count, versions, stop)
