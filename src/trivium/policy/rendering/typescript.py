"""Tools as gpt-oss was taught them: TypeScript types in a namespace (OpenAI's harmony format, "Function calling").

A schema beyond types, enums, descriptions, defaults and required keys is ``any``, as there.
"""

import json
from collections.abc import Mapping, Sequence

from trivium.episode import Json, ToolSpec

_PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}


def namespace(tools: Sequence[ToolSpec]) -> str:
    """The section of a developer message that defines `tools`."""
    lines = ["# Tools\n", "## functions\n", "namespace functions {\n"]
    for tool in tools:
        lines += [f"// {line}" for line in tool.description.splitlines()]
        lines.append(f"type {tool.name} = (_: {_type(tool.parameters, '')}) => any;\n")
    return "\n".join([*lines, "} // namespace functions"])


def _type(schema: Json, indent: str) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join("number" if one == "integer" else str(one) for one in kind) or "any"
    if kind == "array":
        return f"{_type(schema['items'], indent)}[]" if "items" in schema else "Array<any>"
    if kind == "object":
        return _object(schema, indent)
    if kind == "string" and (choices := _choices(schema)):
        return " | ".join(f'"{choice}"' for choice in choices)
    return _PLAIN.get(str(kind), "any")


def _object(schema: Mapping[str, Json], indent: str) -> str:
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    needed = required if isinstance(required, list) else []
    lines = [*_comment(schema, indent), "{"]
    for key, value in known.items():
        lines += _comment(value, indent)
        mark = "" if key in needed else "?"
        lines.append(f"{indent}{key}{mark}: {_type(value, indent + '    ')},{_default(value)}")
    return "\n".join([*lines, f"{indent}}}"])


def _comment(schema: Json | Mapping[str, Json], indent: str) -> list[str]:
    said = schema.get("description") if isinstance(schema, Mapping) else None
    return [f"{indent}// {said}"] if isinstance(said, str) else []


def _default(schema: Json) -> str:
    if not isinstance(schema, Mapping) or "default" not in schema:
        return ""
    value = schema["default"]
    bare = isinstance(value, str) and bool(_choices(schema))
    return f" // default: {value if bare else json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"


def _choices(schema: Mapping[str, Json]) -> list[str]:
    choices = schema.get("enum")
    return [one for one in choices if isinstance(one, str)] if isinstance(choices, list) else []
