"""The two interfaces between an episode and the outside: Tool and Environment.

A typed Python function is a Tool (`harness.tool` makes one); a class with these methods is an Environment. An
environment is opened for one episode, used once and closed; it is never reset.
"""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

import msgspec

from .episode import Agent, Episode
from .message import Json, Piece, ToolSpec
from .outcome import Reward


class ToolResult(msgspec.Struct, frozen=True):
    """What a tool answers. `error` marks a refusal or a mistake of the agent: an observation all the same."""

    pieces: tuple[Piece, ...]
    error: bool = False


class ToolContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a call may know: who calls, how many tokens the answer may take, how to count them, and until when."""

    episode: Episode
    agent: Agent
    max_tokens: int
    count: Callable[[str], int]
    deadline: float
    """`time.monotonic()` by which the answer must be there."""


class Tool(Protocol):
    """Something an agent can call.

    A tool with an attribute ``ordered = False`` may run beside its neighbours of the same turn; all others run in the
    order of the calls.
    """

    @property
    def spec(self) -> ToolSpec:
        """Name, description and parameters, as the model sees them."""
        ...

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Answer one call. Raises `ToolError` when the tool's own machinery fails (the episode is then drawn again); an
        error over the arguments (ValueError, LookupError, ...) is an observation and costs the agent."""
        ...


class Environment(Protocol):
    """One task, opened: it is entered, acted in, judged and left, each within a deadline."""

    @property
    def system(self) -> str:
        """The system prompt."""
        ...

    @property
    def tools(self) -> Sequence[Tool]:
        """What the agent may call."""
        ...

    def prompt(self) -> str:
        """The first user message."""
        ...

    def score(self, episode: Episode) -> Sequence[Reward]:
        """The reward terms of an ended episode. The term named ``reward`` is the total that is trained on.

        Called in a thread of its own, so that a slow one holds up no other episode; where the environment has an
        attribute ``scores_at_once = True`` (a short pure function), on the event loop.
        """
        ...

    async def __aenter__(self) -> "Environment": ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
