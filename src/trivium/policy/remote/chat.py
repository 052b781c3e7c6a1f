"""Chat completions: messages in, text and tool calls out. For baselines, judges and writers of tasks.

Always true: what comes back was sampled by somebody else's tokens; it can be read and measured, not trained on.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from trivium.episode import EngineError, Json

from .endpoint import Endpoint
from .wire import Wire


class RawCall(msgspec.Struct, frozen=True):
    """A tool call as a server writes it: its arguments are text that should be a JSON object, and may not be."""

    name: str
    arguments: str


class ChatReply(msgspec.Struct, frozen=True):
    """One reply. `whole` is False when the server cut it at the token cap."""

    text: str
    calls: tuple[RawCall, ...] = ()
    whole: bool = True


class Chat:
    """Asks one model of one server."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    async def ask(
        self,
        messages: Sequence[Mapping[str, Json]],
        *,
        max_tokens: int,
        temperature: float = 1.0,
        seed: int | None = None,
        tools: Sequence[Mapping[str, Json]] = (),
        deadline: float | None = None,
        cancel: asyncio.Event | None = None,
    ) -> ChatReply:
        """One reply to `messages` (OpenAI's form). Raises EngineError, at the deadline CutShortError."""
        body: dict[str, Any] = {
            "model": self.wire.endpoint.model,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        if seed is not None:
            body["seed"] = seed
        if tools:
            body["tools"] = list(tools)
        answer = await self.wire.post("/chat/completions", body, deadline=deadline, cancel=cancel)
        return _said(answer, self.wire.endpoint)

    async def text(self, prompt: str, *, max_tokens: int, temperature: float = 1.0, seed: int | None = None) -> str:
        """The reply to one user message."""
        asked: list[dict[str, Json]] = [{"role": "user", "content": prompt}]
        return (await self.ask(asked, max_tokens=max_tokens, temperature=temperature, seed=seed)).text

    async def close(self) -> None:
        """Give the connections back."""
        await self.wire.close()


async def only_model(wire: Wire, deadline_s: float = 30.0) -> str:
    """The one model that a server serves. Raises EngineError when it serves several, or does not say."""
    listed = (await wire.get("/models", deadline=time.monotonic() + deadline_s)).get("data")
    names = [item["id"] for item in listed or () if isinstance(item, dict) and isinstance(item.get("id"), str)]
    if len(names) != 1:
        known = ", ".join(names[:5]) or "none"
        raise EngineError(f"{wire.endpoint.url} names {len(names)} models ({known}); choose one by policy.remote.model")
    return str(names[0])


def _said(answer: Mapping[str, Any], endpoint: Endpoint) -> ChatReply:
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        calls = tuple(
            RawCall(str(call["function"]["name"]), _arguments(call["function"].get("arguments")))
            for call in message.get("tool_calls") or ()
        )
        return ChatReply(_content(message.get("content")), calls, choice.get("finish_reason") != "length")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise EngineError(
            f"{endpoint.url} gave an answer without choices[0].message ({type(error).__name__}: {error}); "
            "it is no server of chat completions"
        ) from error


def _content(content: object) -> str:
    """Plain text, also of the form that comes in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _arguments(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
