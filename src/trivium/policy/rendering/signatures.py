"""Tools as one line each: ``name(param: type, optional?: type) - description``, compact enough for small models."""

from collections.abc import Mapping, Sequence

from trivium.episode import Json, ToolSpec

_PLAIN = frozenset({"string", "number", "integer", "boolean", "object", "null"})


def signatures(tools: Sequence[ToolSpec]) -> str:
    """The lines of all tools, under a headline."""
    return "\n".join(["# Tools", *map(signature, tools)])


def signature(spec: ToolSpec) -> str:
    """The line of one tool."""
    properties, required = spec.parameters.get("properties"), spec.parameters.get("required")
    needed = required if isinstance(required, list) else []
    known = properties if isinstance(properties, dict) else {}
    parameters = ", ".join(f"{key}{'' if key in needed else '?'}: {_type(schema)}" for key, schema in known.items())
    described = " ".join(spec.description.split())
    return f"{spec.name}({parameters})" + (f" - {described}" if described else "")


def _type(schema: Json) -> str:
    """The type of a JSON schema: a plain name, ``X[]`` for a list, ``any`` where the schema does not say."""
    if not isinstance(schema, Mapping):
        return "any"
    kind = schema.get("type")
    if kind == "array":
        return f"{_type(schema.get('items'))}[]"
    return kind if isinstance(kind, str) and kind in _PLAIN else "any"
