"""Calls that are written as JSON: the two keys, the spellings that lenient rules accept, and the faults."""

from collections.abc import Sequence

import msgspec

from trivium.episode import Json, ToolCall

from .reading import Reader, Reading, Rules, guarded
from .relax import relaxed
from .values import check_text, read_json

_NAMES = ("name", "tool_name", "function", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input")
LABELS = frozenset({"id", "type", "index", "tool_call_id"})
"""Keys that servers add to a call, and that say nothing to a tool."""


class Keys(msgspec.Struct, frozen=True):
    """The two keys under which a dialect writes a call."""

    name: str = "name"
    arguments: str = "arguments"


def json_calls(keys: Keys = Keys()) -> Reader:  # noqa: B008 -- frozen
    """The reader of a JSON call; under lenient rules also of a list of them."""

    def read(body: str, rules: Rules) -> Reading:
        value, repairs = load(body, rules)
        if isinstance(value, list) and rules.lenient:
            return calls_of(value, keys, rules, repairs)
        return calls_of([value], keys, rules, repairs)

    return guarded(read)


def load(body: str, rules: Rules) -> tuple[Json, list[str]]:
    """JSON, repaired under lenient rules, with what was repaired. Raises ValueError with the reason."""
    try:
        return read_json(body), []
    except ValueError:
        if not rules.lenient:
            raise
        text, repairs = relaxed(body)
        return read_json(text), repairs


def calls_of(values: Sequence[Json], keys: Keys, rules: Rules, repairs: Sequence[str] = ()) -> Reading:
    """All of `values` as calls. Raises ValueError for the first that is none."""
    if not values:
        raise ValueError("the list of calls is empty")
    done = list(repairs)
    calls = tuple(_call(value, keys, rules, done) for value in values)
    return Reading(calls=calls, repairs=tuple(dict.fromkeys(done)))


def arguments_of(value: Json, rules: Rules, repairs: list[str]) -> dict[str, Json]:
    """The arguments, which are an object. Raises ValueError with the reason."""
    if isinstance(value, str) and rules.lenient and value.lstrip().startswith("{"):
        value, found = load(value, rules)
        repairs += ["read arguments that were a string of JSON", *found]
    if not isinstance(value, dict):
        raise ValueError(f"the arguments are {_kind(value)}, not an object")
    return value


def called(name: Json, arguments: dict[str, Json]) -> ToolCall:
    """A call with a usable name. Raises ValueError with the reason."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError("the call names no tool")
    check_text(name)
    return ToolCall(name, arguments)


def _call(value: Json, keys: Keys, rules: Rules, repairs: list[str]) -> ToolCall:
    if not isinstance(value, dict):
        raise ValueError(f"the call is {_kind(value)}, not an object")
    if rules.lenient:
        value = _unwrapped(value, repairs)
    name = _key(value, keys.name, _NAMES, rules, repairs)
    arguments = _key(value, keys.arguments, _ARGUMENTS, rules, repairs)
    if name is None:
        raise ValueError(f'the call has no "{keys.name}"')
    if arguments is None and not rules.lenient:
        raise ValueError(f'the call has no "{keys.arguments}"')
    others = [key for key in value if key not in (name, arguments) and key not in LABELS]
    if others and not rules.lenient:
        raise ValueError(f"the call has the unknown key {others[0][:40]!r}")
    repairs += [f"left out the key {key[:40]!r}" for key in others]
    if arguments is None:
        repairs.append("read a call without arguments as one with none")
    return called(value[name], arguments_of(value[arguments], rules, repairs) if arguments is not None else {})


def _key(value: dict[str, Json], own: str, others: Sequence[str], rules: Rules, repairs: list[str]) -> str | None:
    if own in value:
        return own
    if not rules.lenient:
        return None
    found = next((key for key in others if key in value), None)
    if found is not None:
        repairs.append(f"read {found!r} as {own!r}")
    return found


def _unwrapped(value: dict[str, Json], repairs: list[str]) -> dict[str, Json]:
    inner = value.get("function")
    if isinstance(inner, dict) and "arguments" in inner and set(value) <= LABELS | {"function"}:
        repairs.append("unwrapped 'function'")
        return inner
    return value


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
