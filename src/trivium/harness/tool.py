"""A typed Python function is a tool: its name, docstring and annotations are what the model sees.

Always true: arguments reach the function checked against its annotations; a call that does not fit them is answered
with one sentence and never raises. A function answers the agent's mistakes with `refusal(reason)`; what it raises is
judged in asking.py.
"""

import copy
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from trivium.episode import ConfigError, Json, Piece, ToolContext, ToolResult, ToolSpec, without_surrogates

from .threads import in_thread

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_LETTERS = 64
"""A text is looked at up to this many letters per token: no tokenizer has longer words on average."""
_CUT = " [cut]"


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A tool around a function that returns text; made by `tool`."""

    spec: ToolSpec
    function: Callable[..., Any]
    arguments: type[msgspec.Struct]
    ordered: bool = False
    """True: calls of one turn run one after another; False: neighbours run side by side."""

    async def __call__(self, arguments: dict[str, Json], context: ToolContext) -> ToolResult:
        """Check the arguments, call the function (off the loop when it is a plain one), return its text."""
        try:
            checked = msgspec.convert(arguments, self.arguments, strict=True)
        except msgspec.ValidationError as error:
            return refusal(clip(f"{self.spec.name}: {error}", context))
        answer = await self._call({name: getattr(checked, name) for name in self.arguments.__struct_fields__})
        if isinstance(answer, ToolResult):
            return answer
        return ToolResult(pieces=(Piece(clip(without_surrogates(str(answer)), context) + "\n"),))

    async def _call(self, keywords: dict[str, Any]) -> object:
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**keywords)
        answer = await in_thread(self.function, **keywords)
        return await answer if isinstance(answer, Awaitable) else answer


def tool(function: Callable[..., Any], *, ordered: bool = False) -> FunctionTool:
    """Make a tool of a typed function. Raises ConfigError for a parameter that has no type, or one JSON cannot fill."""
    hints, name = get_type_hints(function), function.__name__
    fields = [_field(name, hints, parameter) for parameter in inspect.signature(function).parameters.values()]
    try:
        arguments = msgspec.defstruct(name, fields, forbid_unknown_fields=True, kw_only=True)
        _, schemas = msgspec.json.schema_components([arguments])
    except TypeError as error:
        raise ConfigError(f"tool {name}: a parameter has a type that JSON cannot fill ({error})") from error
    schema: dict[str, Json] = schemas.pop(name)
    if schemas:
        schema["$defs"] = schemas
    description = (inspect.getdoc(function) or "").split("\n\n")[0]
    return FunctionTool(ToolSpec(name, description, schema), function, arguments, ordered)


def _field(tool_name: str, hints: dict[str, Any], parameter: inspect.Parameter) -> tuple[Any, ...]:
    name = parameter.name
    if parameter.kind not in _NAMED:
        raise ConfigError(f"tool {tool_name}: a call cannot fill {parameter}; give every parameter a name of its own")
    if name not in hints:
        raise ConfigError(f"tool {tool_name}: parameter {name} has no type; annotate it, e.g. {name}: str")
    if parameter.default is parameter.empty:
        return name, hints[name]
    if isinstance(parameter.default, list | dict | set):  # each call gets its own
        return name, hints[name], msgspec.field(default_factory=lambda: copy.deepcopy(parameter.default))
    return name, hints[name], parameter.default


def refusal(reason: str) -> ToolResult:
    """An observation that says why nothing was done."""
    return ToolResult(pieces=(Piece(f"Error: {reason}\n"),), error=True)


def clip(text: str, context: ToolContext) -> str:
    """`text`, cut so that with the end of its line it takes at most the call's tokens; between words where it can."""
    head = text[: _LETTERS * context.max_tokens]
    if len(head) == len(text) and context.count(text + "\n") <= context.max_tokens:
        return text
    low, high = 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        fits = context.count(head[:middle] + _CUT + "\n") <= context.max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    words = head[:low].rsplit(None, 1)
    return (words[0] if len(words) > 1 and not head[low : low + 1].isspace() else head[:low]) + _CUT
