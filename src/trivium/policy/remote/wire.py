"""Requests to one server: JSON out, JSON in.

Always true: a request ends by its deadline, by its cancel event or with its caller, whatever the server does; only what
another attempt may fix (429, 5xx, a lost connection, a silent server) is repeated, at most `Retries.attempts` times,
and each repetition is counted under its reason.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from trivium.episode import ConfigError, EngineError, StopReason

from .endpoint import Endpoint, is_loopback
from .retries import STATUSES, Retries, asked_wait

try:
    import httpx
except ImportError as error:
    raise ConfigError("a remote model needs the package httpx; run pip install 'trivium[remote]'") from error

T = TypeVar("T")


class CutShortError(EngineError):
    """The caller's deadline or cancel event came before the answer."""

    def __init__(self, where: str, stop: StopReason) -> None:
        super().__init__(f"the request to {where} was cut: {stop}; give it more time")
        self.stop = stop


class _PassingError(Exception):
    """A failure that another attempt may fix."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass
class WireCounters:
    """What went over a wire since it was made."""

    requests: int = 0
    tokens: int = 0
    """Generated, as servers count them."""
    retried: Counter[str] = field(default_factory=Counter)
    """Repetitions by reason."""

    def line(self) -> str:
        """For people."""
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in self.retried.most_common())
        told = f"{self.requests:,} requests, {self.tokens:,} tokens generated"
        return f"{told}, {self.retried.total():,} requests repeated" + (f" ({reasons})" if reasons else "")


class Wire:
    """One server, at most `connections` requests at once; an attempt that takes `seconds` has failed."""

    def __init__(
        self, endpoint: Endpoint, *, retries: Retries | None = None, seconds: float = 120.0, connections: int = 64
    ) -> None:
        self.endpoint, self.retries, self.seconds = endpoint, retries or Retries(), seconds
        self.counters = WireCounters()
        self._slots = asyncio.Semaphore(connections)
        self._draw = random.Random()
        local = is_loopback(httpx.URL(endpoint.url).host)
        limits = httpx.Limits(max_connections=connections)
        self._client = httpx.AsyncClient(headers=endpoint.headers, timeout=None, trust_env=not local, limits=limits)

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        deadline: float | None = None,
        cancel: asyncio.Event | None = None,
    ) -> dict[str, Any]:
        """The answer, a JSON object. Raises CutShortError at the deadline or when cancelled, else EngineError."""
        answer = await self._cut_short(self._repeated("POST", path, body), deadline, cancel)
        used = answer.get("usage")
        made = used.get("completion_tokens") if isinstance(used, dict) else None
        self.counters.tokens += made if isinstance(made, int) else 0
        return answer

    async def get(self, path: str, *, deadline: float | None = None) -> dict[str, Any]:
        """What the server says at a path, a JSON object."""
        return await self._cut_short(self._repeated("GET", path, None), deadline, None)

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()

    async def _cut_short(self, work: Coroutine[Any, Any, T], deadline: float | None, cancel: asyncio.Event | None) -> T:
        task = asyncio.ensure_future(work)
        watched: list[asyncio.Future[Any]] = [task]
        if cancel is not None:
            watched.append(asyncio.ensure_future(cancel.wait()))
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            await asyncio.wait(watched, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            stop = StopReason.CANCELLED if cancel is not None and cancel.is_set() else StopReason.DEADLINE
            raise CutShortError(self.endpoint.url, stop)
        finally:
            for item in watched:
                item.cancel()
            await asyncio.gather(*watched, return_exceptions=True)

    async def _repeated(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        last = ""
        for failed in range(1, self.retries.attempts + 1):
            try:
                return await self._once(method, path, body)
            except _PassingError as trouble:
                last = str(trouble)
                if failed < self.retries.attempts:
                    self.counters.retried[last] += 1
                    await asyncio.sleep(self.retries.wait(failed, trouble.wait, self._draw))
        raise EngineError(
            f"{self.endpoint.url}{path} failed {self.retries.attempts} times, at last by {last}; see the server's log"
        )

    async def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        async with self._slots:
            self.counters.requests += 1
            try:
                async with asyncio.timeout(self.seconds):
                    response = await self._client.request(method, f"{self.endpoint.url}{path}", json=body)
            except TimeoutError:
                raise _PassingError(f"no answer in {self.seconds:g} s") from None
            except httpx.TransportError as error:
                raise _PassingError(type(error).__name__) from None
        if response.status_code in STATUSES:
            raise _PassingError(f"status {response.status_code}", asked_wait(response.headers.get("retry-after")))
        return self._read(path, response)

    def _read(self, path: str, response: httpx.Response) -> dict[str, Any]:
        where = f"{self.endpoint.url}{path}"
        if response.status_code != 200:
            said = " ".join(self.endpoint.hide(response.text).split())[:300]
            raise EngineError(f"{where} answered {response.status_code} ({said}); check url, model and key_env")
        try:
            answer = response.json()
        except ValueError as error:
            raise EngineError(f"{where} answered with something that is no JSON; check the URL") from error
        if not isinstance(answer, dict):
            raise EngineError(f"{where} answered with a JSON {type(answer).__name__}, not an object; check the URL")
        return answer
