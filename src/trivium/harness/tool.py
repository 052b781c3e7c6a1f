"""A typed Python function is a tool: its name, docstring and annotations are what the model sees.

Always true: arguments reach the function checked against its annotations; a call that does not fit them is answered
with one sentence and never raises.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, get_type_hints

import msgspec

from trivium.episode import ConfigError, Json, Piece, ToolContext, ToolError, ToolResult, ToolSpec


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A tool around a function that returns text; made by `tool`."""

    spec: ToolSpec
    function: Callable[..., Any]
    arguments: type[msgspec.Struct]
    ordered: bool = field(default=False)

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Check the arguments, call the function (off the loop when it is a plain one), return its text."""
        try:
            checked = msgspec.convert(arguments, self.arguments, strict=True)
        except msgspec.ValidationError as error:
            return refusal(f"{self.spec.name}: {error}")
        try:
            answer = await self._call({name: getattr(checked, name) for name in self.arguments.__struct_fields__})
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(f"tool {self.spec.name} raised {type(error).__name__}: {error}") from error
        return ToolResult(pieces=(Piece(clip(str(answer), context)),))

    async def _call(self, keywords: dict[str, Any]) -> object:
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**keywords)
        answer = await asyncio.to_thread(self.function, **keywords)
        return await answer if isinstance(answer, Awaitable) else answer


def tool(function: Callable[..., Any]) -> FunctionTool:
    """Make a tool of a typed function. Raises ConfigError when a parameter has no annotation."""
    hints = get_type_hints(function)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints:
            raise ConfigError(f"tool {function.__name__}: parameter {name} has no type; annotate it, e.g. {name}: str")
        fields.append(
            (name, hints[name]) if parameter.default is parameter.empty else (name, hints[name], parameter.default)
        )
    arguments = msgspec.defstruct(function.__name__, fields, forbid_unknown_fields=True, kw_only=True)
    _, parts = msgspec.json.schema_components([arguments])
    schema: dict[str, Json] = parts[function.__name__]
    description = inspect.getdoc(function) or ""
    return FunctionTool(ToolSpec(function.__name__, description.split("\n\n")[0], schema), function, arguments)


def refusal(reason: str) -> ToolResult:
    """An observation that says why nothing was done."""
    return ToolResult(pieces=(Piece(f"Error: {reason}\n"),), error=True)


def clip(text: str, context: ToolContext) -> str:
    """`text`, cut at a word so that it takes at most the call's tokens (said at the end when cut)."""
    if context.count(text) <= context.max_tokens:
        return text
    words, low, high = text.split(" "), 0, text.count(" ") + 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = context.count(" ".join(words[:middle]) + " [cut]") <= context.max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(words[:low]) + " [cut]"
