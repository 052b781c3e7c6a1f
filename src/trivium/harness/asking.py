"""One call of a tool, and who is to blame for what goes wrong in it.

    what the arguments cause (`OF_ARGUMENTS`)   the agent: an observation and a cost, as any wrong call
    anything else, and silence                  the tool: ToolError, so the episode is drawn again

A tool that can tell the two apart says so itself: it answers with `refusal(reason)`, or raises ToolError.
Always true: an answer is text that a store can hold.
"""

import msgspec

from trivium.episode import (
    BoundaryError,
    Piece,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    TriviumError,
    without_surrogates,
)

from .deadlines import TOOL_GRACE_S, until
from .tool import clip, refusal

OF_ARGUMENTS = (ValueError, TypeError, ArithmeticError, LookupError, RecursionError)
"""What a function raises over arguments that it cannot serve: ``int("x")``, ``1 / 0``, ``notes["no such"]``."""
OF_THE_WORLD = (OSError, TriviumError)
"""Never the agent's, whatever else it is: a connection's JSONDecodeError is both an OSError and a ValueError."""


async def ask(tool: Tool, call: ToolCall, context: ToolContext) -> ToolResult:
    """The tool's answer. Raises BoundaryError for a failure that is not the agent's."""
    try:
        async with until(context.deadline, TOOL_GRACE_S) as clock:
            answer = await tool(call.arguments, context)
    except BoundaryError:
        raise
    except Exception as error:  # the tool boundary: whatever it raises
        if clock.expired():
            raise ToolError(f"tool {call.name} is silent after the episode's deadline; bound its waits") from error
        told = f"{type(error).__name__}: {error}"
        if isinstance(error, OF_ARGUMENTS) and not isinstance(error, OF_THE_WORLD):
            context.episode.count("raised_calls")
            return refusal(clip(without_surrogates(f"{call.name} raised {told}"), context))
        raise ToolError(f"tool {call.name} raised {told}") from error
    return _readable(answer, call.name)


def _readable(answer: ToolResult, name: str) -> ToolResult:
    """The answer with U+FFFD for what is no text. Raises ToolError when it is no answer."""
    try:
        pieces = tuple(
            Piece(without_surrogates(piece.text), _clean(piece.id), _clean(piece.source)) for piece in answer.pieces
        )
    except (AttributeError, TypeError) as error:
        raise ToolError(f"tool {name} gave {answer!r:.80}; give a ToolResult whose pieces hold text") from error
    return answer if pieces == answer.pieces else msgspec.structs.replace(answer, pieces=pieces)


def _clean(text: str | None) -> str | None:
    return None if text is None else without_surrogates(text)
