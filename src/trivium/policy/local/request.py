"""One generation on its way: the tokens so far, and why it would end now.

Always true: `tokens` is prompt and sampled tokens; the next token is drawn when exactly the tokens before it are in the
keys and values. Log-probs and weights ids have one entry per sampled token.
"""

import asyncio
from collections.abc import Sequence
from typing import Generic

from trivium.episode import StopReason, Versions
from trivium.policy.engine import Generation, Sampling

from .draws import Draws
from .forward import K


class Request(Generic[K]):
    """A generation. `limit`: most tokens it may sample; `kv` is None while nothing is read."""

    def __init__(
        self,
        prompt: Sequence[int],
        sampling: Sampling,
        limit: int,
        future: "asyncio.Future[Generation]",
        *,
        deadline: float | None = None,
        priority: int = 0,
        cancel: asyncio.Event | None = None,
        session: str | None = None,
    ) -> None:
        self.tokens = list(prompt)
        self.sampling, self.limit, self.future = sampling, limit, future
        self.deadline, self.priority, self.cancel, self.session = deadline, priority, cancel, session
        self.kv: K | None = None
        self.mixed = False
        """`kv` holds keys and values of older weights."""
        self._prompt = len(self.tokens)
        self._draws = Draws(sampling.seed)
        self._logprobs: list[float] = []
        self._runs: list[tuple[str, bool, int]] = []

    @property
    def read(self) -> int:
        """Tokens whose keys and values are computed."""
        return 0 if self.kv is None else self.kv.length

    @property
    def need(self) -> int:
        """Tokens that this request may come to hold."""
        return self._prompt + self.limit

    @property
    def uniform(self) -> float:
        """The random number of the next token."""
        return self._draws(len(self.tokens))

    def take(self, token: int, logprob: float, weights_id: str) -> StopReason | None:
        """Add a sampled token; the reason to stop, if it gives one."""
        self.tokens.append(token)
        self._logprobs.append(logprob)
        run = (weights_id, self.mixed)
        if self._runs and self._runs[-1][:2] == run:
            self._runs[-1] = (*run, self._runs[-1][2] + 1)
        else:
            self._runs.append((*run, 1))
        if token in self.sampling.stop_ids:
            return StopReason.STOP
        return StopReason.LENGTH if len(self._logprobs) == self.limit else None

    def interrupted(self, now: float) -> StopReason | None:
        """Why it must end at this token boundary, if it must."""
        if self.future.done() or (self.cancel is not None and self.cancel.is_set()):
            return StopReason.CANCELLED
        return StopReason.DEADLINE if self.deadline is not None and now >= self.deadline else None

    def resolve(self, stop: StopReason) -> None:
        """Answer the caller, if it still waits."""
        if not self.future.done():
            sampled = tuple(self.tokens[self._prompt :])
            self.future.set_result(Generation(sampled, tuple(self._logprobs), self._versions(), stop))

    def _versions(self) -> Versions:
        ids, mixed, counts = zip(*self._runs, strict=True) if self._runs else ((), (), ())
        return Versions(ids, counts, mixed if any(mixed) else ())
