"""JSON as a call may hold it: one meaning, or none.

    read_json(text)          the value, or ValueError with the reason
    read_typed(text, schema) a bare parameter of an XML-like dialect: its schema decides, else JSON if it is JSON

Refused, because two readers would read them differently: a key twice, NaN and infinities (also 1e999), half of a
surrogate pair, nesting deeper than 64.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from trivium.episode import Json

MAX_DEPTH = 64
V = TypeVar("V")
_HALF = re.compile("[\ud800-\udfff]")


def read_json(text: str) -> Json:
    """The JSON value that `text` is, white space around it allowed. Raises ValueError with the reason."""
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"invalid JSON at character {error.pos}: {error.msg.removesuffix(' at')}") from error
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_DEPTH}") from error
    return checked(value)


def read_typed(text: str, schema: Mapping[str, Json] | None) -> Json:
    """The value of a parameter that is written without quotes."""
    if schema is not None and schema.get("type") == "string":
        return text
    try:
        return read_json(text)
    except ValueError:
        return text


def read_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object from its pairs. Raises ValueError for a key that comes twice."""
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} comes twice")
        found[key] = value
    return found


def check_text(text: str) -> None:
    """Raises ValueError for half of a surrogate pair, which no UTF-8 can carry to a tool."""
    if not text.isascii() and _HALF.search(text):
        raise ValueError("a string holds half of a surrogate pair")


def checked(value: V) -> V:
    """`value` itself. Raises ValueError for what JSON or UTF-8 cannot carry, and for too deep a nesting."""
    layer: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in layer:
            if isinstance(item, str):
                check_text(item)
            elif isinstance(item, dict):
                for key in item:
                    check_text(key)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, float) and not math.isfinite(item):
                raise ValueError("a number is out of range")
        if not inner:
            return value
        layer = inner
    raise ValueError(f"nested deeper than {MAX_DEPTH}")


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=read_pairs, parse_constant=_constant)
