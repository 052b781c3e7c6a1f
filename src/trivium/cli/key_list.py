"""Every key of a recipe, read off `trivium.config`: for `trivium keys`, and for docs/recipe.md."""

import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from trivium.config import Recipe

UNSET, NEEDED = "unset", "needed"
BOUNDS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
LONG = 40
"""Characters of a default at most; a longer one is cut, with dots."""


class Key(NamedTuple):
    """A key of a section: what it takes, what it is without a word in the recipe, and what it does."""

    name: str
    """Dotted, as after `--set`."""
    takes: str
    default: str
    does: str


class Group(NamedTuple):
    """A section of a recipe with its own keys, those of the sections inside it left out."""

    name: str
    """As in the file, such as ``policy.lora``; empty: above all sections."""
    does: str
    keys: list[Key]


def groups(section: type[BaseModel] = Recipe, name: str = "") -> Iterator[Group]:
    """Every section, in the order of the file."""
    prefix = f"{name}." if name else ""
    inner = {key: _inner(field) for key, field in section.model_fields.items()}
    fields = {key: field for key, field in section.model_fields.items() if inner[key] is None}
    yield Group(name, _does(section), [_key(prefix + key, field) for key, field in fields.items()])
    for key, kind in inner.items():
        if kind is not None:
            yield from groups(kind, prefix + key)


def _inner(field: FieldInfo) -> type[BaseModel] | None:
    """The section that a field holds, if it holds one."""
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _does(section: type[BaseModel]) -> str:
    """What the section says of itself, without the name in brackets."""
    told = " ".join((section.__doc__ or "").split())
    return told.partition("] ")[2] if told.startswith("[") else told


def _key(name: str, field: FieldInfo) -> Key:
    return Key(name, _bounded(field.annotation, field.metadata), _default(field), field.description or "")


def _takes(kind: Any) -> str:
    """A type in words."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(map(str, inside))
    if origin is Annotated:
        return _bounded(inside[0], [one for item in inside[1:] for one in getattr(item, "metadata", [item])])
    if origin in (Union, types.UnionType):
        return " | ".join(_takes(one) for one in inside if one is not type(None))
    if origin is tuple:
        return f"list of {_takes(inside[0])}"
    return {str: "text", Path: "path", bool: "true | false"}.get(kind, getattr(kind, "__name__", str(kind)))


def _bounded(kind: Any, metadata: list[Any]) -> str:
    """A type with the bounds of its values."""
    signs = ((item, name, sign) for item in metadata for name, sign in BOUNDS.items() if hasattr(item, name))
    return f"{_takes(kind)} {', '.join(f'{sign} {getattr(item, name)}' for item, name, sign in signs)}".strip()


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return NEEDED
    if field.default is None:
        return UNSET
    told = json.dumps(field.default)
    return told if len(told) <= LONG else f"{told[: LONG - 4]} ...]"
