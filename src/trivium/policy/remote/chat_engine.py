"""ChatEngine: a chat server behind the seam of engines, so that it acts in the harness of a trained policy.

Always true: its tokens are ours (the tape's tokenizer wrote down what the server said), so it is measured and never
trained: its weights id begins with ``chat:``, its log-probs are 0 and mean nothing. The server's hidden reasoning is
not part of the context.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from trivium.episode import EngineError, StopReason, Versions
from trivium.policy.engine import Generation, Sampling, Weights
from trivium.policy.parsing import parse

from .chat import Chat, ChatReply
from .tape import Tape
from .wire import CutShortError, WireCounters

_SEEDS = 2**31
"""Servers take seeds of 32 bits."""


class ChatEngine:
    """An `Engine` over ``/chat/completions``; its policy's renderer must be `tape`.

    `thinking` is how many tokens the server may use beyond a reply, for models that reason before they answer.
    """

    def __init__(self, chat: Chat, tape: Tape, *, thinking: int = 0) -> None:
        self._chat, self._tape, self._thinking = chat, tape, thinking
        self._weights = Weights(f"chat:{chat.wire.endpoint.model}")

    @property
    def weights(self) -> Weights:
        """The model by its name, marked as one that only chats."""
        return self._weights

    @property
    def traffic(self) -> WireCounters:
        """Requests, and which of them were repeated."""
        return self._chat.wire.counters

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
        """What the server says next, in the tape's tokens, cut at `max_tokens` of them."""
        messages, tools = self._tape.read(tokens)
        try:
            said = await self._chat.ask(
                messages,
                max_tokens=sampling.max_tokens + self._thinking,
                temperature=sampling.temperature,
                seed=sampling.seed % _SEEDS,
                tools=tools,
                deadline=deadline,
                cancel=cancel,
            )
        except CutShortError as cut:
            return Generation((), (), Versions((), ()), cut.stop)
        return self._written(said, sampling)

    def load(self, weights: Weights, state: Mapping[str, Any]) -> None:
        """Refuse: there are no weights here. Raises EngineError."""
        raise EngineError(f"a chat server cannot be given the weights {weights.id}; train a local model")

    async def close(self) -> None:
        """Give the connections back."""
        await self._chat.close()

    def _written(self, said: ChatReply, sampling: Sampling) -> Generation:
        ids = self._tape.reply(*_told(said))
        open_ended = not said.whole and len(ids) > 1
        kept = (ids[:-1] if open_ended else ids)[: sampling.max_tokens]
        stop = StopReason.STOP if kept[-1] in sampling.stop_ids else StopReason.LENGTH
        return Generation(kept, (0.0,) * len(kept), Versions((self._weights.id,), (len(kept),)), stop)


def _told(said: ChatReply) -> tuple[str, Sequence[Any]]:
    """Text and calls; calls that a server left in the text, between tags, are taken out of it."""
    if said.calls:
        return said.text, said.calls
    parsed = parse(said.text, "hermes", lenient=True)
    return (parsed.text, parsed.calls) if parsed.calls else (said.text, ())
