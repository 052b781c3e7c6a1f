"""Sampling from a server that speaks OpenAI's protocol (extra `remote`).

    RemoteEngine   engine.py        token ids in, sampled ids and log-probs out (/completions, as vLLM answers them)
    ChatEngine     chat_engine.py   messages in, text out (/chat/completions): measured, never trained
        Tape           tape.py          the renderer whose tokens a ChatEngine reads back as messages
    Chat, ChatReply     chat.py          the same without an engine around it: judges, writers of tasks
    Wire           wire.py          requests: deadlines, cancelling, bounded retries, all counted
    Endpoint       endpoint.py      where the server is, which model, and the key, which is never shown

Always true: an answer that lacks what was asked for is an EngineError, never a guess; no key is printed or stored.
"""

from .chat import Chat, ChatReply
from .chat_engine import ChatEngine
from .endpoint import Endpoint
from .engine import RemoteEngine
from .retries import Retries
from .tape import Tape
from .wire import CutShortError, Wire, WireCounters

__all__ = [
    "Chat",
    "ChatEngine",
    "ChatReply",
    "CutShortError",
    "Endpoint",
    "RemoteEngine",
    "Retries",
    "Tape",
    "Wire",
    "WireCounters",
]
