"""Continuous batching, one step at a time: who joins, who leaves, what is read, what is sampled.

Always true: between two steps every live request stands at a token boundary, so it may be cancelled, continued, or go
on under other weights; the order of requests never changes a request's draws. No asyncio here but the futures.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import torch

from trivium.episode import EngineError, StopReason

from .cache import WORTH, SessionCache, common_prefix
from .forward import Forward, K
from .request import Request
from .sampler import sample

_PREFILL = 2048
"""Most tokens read by prefill in one step, so that decoding requests do not starve."""


@dataclass
class Counters:
    """What an engine did since it was made (tokens, but for steps)."""

    steps: int = 0
    prefilled: int = 0
    decoded: int = 0
    reused: int = 0
    """Prompt tokens that were not read again, thanks to the session's or another session's keys and values."""
    evicted: int = 0


class ContinuousBatch(Generic[K]):
    """The requests of one engine: at most `max_batch` live ones, the others in a queue."""

    def __init__(self, forward: Forward[K], max_batch: int, max_tokens: int, weights_id: str) -> None:
        self._forward, self._max_batch, self._max_tokens = forward, max_batch, max_tokens
        self._cache = SessionCache(forward, max_tokens)
        self._queue: list[Request[K]] = []
        self._live: list[Request[K]] = []
        self._weights_id = weights_id
        self.counters = Counters()

    @property
    def busy(self) -> bool:
        """True while a request waits for an answer."""
        return bool(self._live or self._queue)

    @property
    def cached_tokens(self) -> int:
        """Tokens whose keys and values are held, live or parked."""
        return self._cache.tokens + sum(request.read for request in self._live)

    def submit(self, request: Request[K]) -> None:
        """Queue a request: higher priority first, then first come."""
        place = next((i for i, other in enumerate(self._queue) if other.priority < request.priority), len(self._queue))
        self._queue.insert(place, request)

    @torch.inference_mode()
    def step(self) -> bool:
        """One token for every live request that is ready; True when a request ended."""
        before = len(self._live) + len(self._queue)
        self._reap()
        self._admit()
        self._prefill()
        self._decode()
        self._cache.shrink(sum(request.read for request in self._live))
        self.counters.steps += 1
        self.counters.evicted = self._cache.evicted
        return len(self._live) + len(self._queue) < before

    @torch.inference_mode()
    def switch(self, weights_id: str, keep_kv: bool = False) -> None:
        """Void every key and value: live requests read their tokens again under the new weights.

        With `keep_kv` they go on over the old ones, and are marked; what is parked is void all the same.
        """
        self._weights_id = weights_id
        self._cache.clear()
        for request in self._live:
            if keep_kv and request.read:
                request.mixed = True
            elif request.kv is not None:
                self._forward.drop(request.kv)
                request.kv = None
                request.mixed = False

    def end(self, answer: StopReason | EngineError) -> None:
        """Answer every request (partial, or with the error) and forget all keys and values."""
        for request in self._live + self._queue:
            if isinstance(answer, StopReason):
                request.resolve(answer)
            elif not request.future.done():
                request.future.set_exception(answer)
        self.switch(self._weights_id)
        self._live.clear()
        self._queue.clear()

    def _reap(self) -> None:
        now = time.monotonic()
        for request in self._live + self._queue:
            reason = request.interrupted(now)
            if reason is not None:
                self._finish(request, reason)

    def _admit(self) -> None:
        held = sum(request.need for request in self._live)
        while self._queue and len(self._live) < self._max_batch:
            if self._live and held + self._queue[0].need > self._max_tokens:
                return
            request = self._queue.pop(0)
            held += request.need
            self._live.append(request)

    def _prefill(self) -> None:
        work: list[tuple[Request[K], K, list[int]]] = []
        budget = _PREFILL
        for request in self._live:
            if not budget:
                break
            kv = request.kv or self._open(request, [other for other, _, _ in work])
            if kv is None or (kv.length and kv.length == len(request.tokens) - 1):
                continue
            run = request.tokens[kv.length : kv.length + budget]
            budget -= len(run)
            work.append((request, kv, run))
        if work:
            logits = self._forward.prefill([(kv, run) for _, kv, run in work])
            self.counters.prefilled += _PREFILL - budget
            done = [row for row, (request, _, _) in enumerate(work) if request.read == len(request.tokens)]
            self._sample([work[row][0] for row in done], logits if len(done) == len(work) else logits[done])

    def _open(self, request: Request[K], planned: Sequence[Request[K]]) -> K | None:
        """Keys and values to begin with; None to wait a step for a prefix that another request is reading now."""
        offer = self._cache.offer(request, self._live)
        limit = len(request.tokens) - 1
        giving = (other for other in planned if not other.mixed)
        if any(common_prefix(other.tokens, request.tokens, limit) >= offer.length + WORTH for other in giving):
            return None
        kv = request.kv = self._cache.claim(request, offer)
        self.counters.reused += kv.length
        return kv

    def _decode(self) -> None:
        ready = [request for request in self._live if request.read and request.read == len(request.tokens) - 1]
        if ready:
            kvs = [request.kv for request in ready if request.kv is not None]
            logits = self._forward.decode(kvs, [request.tokens[-1] for request in ready])
            self.counters.decoded += len(ready)
            self._sample(ready, logits)

    def _sample(self, requests: Sequence[Request[K]], logits: torch.Tensor) -> None:
        if not requests:
            return
        temperatures = [request.sampling.temperature for request in requests]
        top_ps = [request.sampling.top_p for request in requests]
        tokens, logprobs = sample(logits, temperatures, top_ps, [request.uniform for request in requests])
        for request, token, logprob in zip(requests, tokens, logprobs, strict=True):
            reason = request.take(token, logprob, self._weights_id)
            if reason is not None:
                self._finish(request, reason)

    def _finish(self, request: Request[K], reason: StopReason) -> None:
        (self._live if request in self._live else self._queue).remove(request)
        request.resolve(reason)
        if request.kv is None:
            return
        if request.session is None or request.mixed:
            self._forward.drop(request.kv)
        else:
            self._forward.park(request.kv)
            self._cache.keep(request.session, request.tokens, request.kv)
