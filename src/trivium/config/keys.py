"""The keys of a recipe: all that there are, and those that one changes."""

import json
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from .recipe import Recipe
from .renamed import with_new_names


def known_keys(section: type[BaseModel] = Recipe, prefix: str = "") -> list[str]:
    """Every key of a recipe, dotted."""
    keys: list[str] = []
    for name, field in section.model_fields.items():
        kind = next((a for a in get_args(field.annotation) if a is not type(None)), field.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            keys += known_keys(kind, f"{prefix}{name}.")
        keys.append(prefix + name)
    return keys


def read_no_more(data: dict[str, Any]) -> list[str]:
    """The keys of an older recipe's data that nothing reads any more, dotted."""
    known = set(known_keys())
    return [key for key, _ in _flat(with_new_names(data)) if key not in known]


def still_read(data: dict[str, Any]) -> dict[str, Any]:
    """An older recipe's data under the names of now, without the keys that nothing reads any more."""
    return _known(with_new_names(data), "", set(known_keys()))


def _known(data: dict[str, Any], prefix: str, known: set[str]) -> dict[str, Any]:
    return {
        key: _known(value, f"{prefix}{key}.", known) if isinstance(value, dict) else value
        for key, value in data.items()
        if prefix + key in known
    }


def changed_keys(data: dict[str, Any], base: dict[str, Any] | None = None) -> list[str]:
    """The keys of a recipe's data that differ from `base`, unset: from their defaults, as `a.b = value`."""
    before = dict(_flat(Recipe().model_dump(mode="json", exclude_none=True) if base is None else base))
    return [f"{key} = {json.dumps(value)}" for key, value in _flat(with_new_names(data)) if before.get(key) != value]


def _flat(data: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
