"""RemoteEngine: token ids in, sampled ids and log-probs out, from a server that tells them (vLLM does).

Always true: every token of a Generation is one that the server says it sampled, at the log-prob it says; a server that
keeps either to itself, or that read another prompt than was sent, is refused in one sentence. At a temperature other
than 1 the server must report log-probs of what it sampled (vLLM: ``--logprobs-mode processed_logprobs``).
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any

from trivium.episode import EngineError, StopReason, Versions
from trivium.policy.engine import Generation, Sampling, Weights

from .wire import CutShortError, Wire, WireCounters

_ID = "token_id:"


class RemoteEngine:
    """An `Engine` over ``/completions``. Its weights stay where they are: it is measured, not trained."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._weights = Weights(f"remote:{wire.endpoint.model}")

    @property
    def weights(self) -> Weights:
        """The model by the name that the server gives it."""
        return self._weights

    @property
    def traffic(self) -> WireCounters:
        """Requests, and which of them were repeated."""
        return self._wire.counters

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
        """Sample after `tokens`; see `Engine.generate`. A request that is cut gives an empty partial generation."""
        try:
            body = self._body(tokens, sampling)
            answer = await self._wire.post("/completions", body, deadline=deadline, cancel=cancel)
        except CutShortError as cut:
            return Generation((), (), Versions((), ()), cut.stop)
        return self._generation(answer, tokens, sampling)

    def load(self, weights: Weights, state: Mapping[str, Any]) -> None:
        """Refuse: no weights travel to a server. Raises EngineError."""
        raise EngineError(f"{self._wire.endpoint.url} cannot be given the weights {weights.id}; train a local model")

    async def close(self) -> None:
        """Give the connections back."""
        await self._wire.close()

    def _body(self, tokens: Sequence[int], sampling: Sampling) -> dict[str, Any]:
        return {
            "model": self._wire.endpoint.model,
            "prompt": list(tokens),
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stop_token_ids": sorted(sampling.stop_ids),
            "ignore_eos": True,  # only our own stop ids end a turn
            "logprobs": 0,  # of what was sampled, and of nothing beside it
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,  # older servers tell ids this way only
            "skip_special_tokens": False,
        }

    def _generation(self, answer: Mapping[str, Any], prompt: Sequence[int], sampling: Sampling) -> Generation:
        choice = _choice(answer)
        ids, logprobs = _ids(choice), _logprobs(choice)
        if ids is None or logprobs is None or len(ids) != len(logprobs):
            raise EngineError(
                f"{self._wire.endpoint.url} returned no token ids with their log-probs, so nothing it says can be "
                "trained on; serve with vLLM, or measure it by policy.remote.api = chat"
            )
        read = choice.get("prompt_token_ids")
        if isinstance(read, list) and read != list(prompt):
            raise EngineError(f"{self._wire.endpoint.url} read {len(read)} tokens, not the prompt that was sent")
        stop = self._stop(choice, ids, sampling)
        versions = Versions((self._weights.id,), (len(ids),)) if ids else Versions((), ())
        return Generation(ids, logprobs, versions, stop)

    def _stop(self, choice: Mapping[str, Any], ids: Sequence[int], sampling: Sampling) -> StopReason:
        reason = choice.get("finish_reason")
        if reason == "stop" and ids and ids[-1] in sampling.stop_ids:
            return StopReason.STOP
        if reason == "length" and ids:
            return StopReason.LENGTH
        raise EngineError(
            f"{self._wire.endpoint.url} ended with finish_reason {reason!r} after {len(ids)} tokens, "
            f"the last of which is no stop id of {sorted(sampling.stop_ids)}; serve with vLLM"
        )


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        return choices[0]
    raise EngineError("the server's answer has not exactly one choice; it is no server of completions")


def _ids(choice: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Sampled ids: told as such, or spelled ``token_id:7``."""
    ids = choice.get("token_ids")
    if ids is None:
        spelled = (choice.get("logprobs") or {}).get("tokens") or ()
        ids = [int(word.removeprefix(_ID)) for word in spelled if isinstance(word, str) and word.startswith(_ID)]
    known = isinstance(ids, list) and bool(ids) and all(type(token) is int and token >= 0 for token in ids)
    return tuple(ids) if known else None


def _logprobs(choice: Mapping[str, Any]) -> tuple[float, ...] | None:
    values = (choice.get("logprobs") or {}).get("token_logprobs")
    if not isinstance(values, list) or not all(isinstance(value, float | int) for value in values):
        return None
    return tuple(map(float, values)) if all(math.isfinite(value) and value <= 1e-4 for value in values) else None
