"""JSON without tags, as models write it that were never taught a dialect: an object, a list, or a fence.

JSON is ordinary text too, so it is a call only when all its keys are those of a call; broken JSON is malformed only
when it has both keys of one.
"""

import re
import string
from functools import partial

from trivium.policy.parsing.calls import LABELS, Keys, calls_of, load
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Start, Until, Value
from trivium.policy.parsing.reading import NOT_MEANT, Reader, Reading, Rules, guarded

_OBJECT = Start(re.compile(r'(?P<open>\{)\s{0,200}"'), re.compile(r"\{\s{0,200}"))
LIST_START = Start(re.compile(r"(?P<open>\[)\s{0,200}\{"), re.compile(r"\[\s{0,200}"))
_MEANT = (re.compile(r'"(?:name|tool_name)"\s*+:'), re.compile(r'"(?:arguments|parameters)"\s*+:'))
_LABEL = string.ascii_lowercase + "_ \t\r\n"
_FENCE = re.compile(r"(?:json|tool_call|tool_calls|tool)?[ \t]*\n(.*)", re.DOTALL)
_CALL_KEYS = frozenset({"name", "tool_name", "arguments", "parameters", "function"}) | LABELS


def bare_reader(keys: Keys = Keys()) -> Reader:  # noqa: B008 -- frozen
    """The reader of JSON that may be a call, or a list of them."""

    def read(body: str, rules: Rules) -> Reading:
        try:
            value, repairs = load(body, rules)
        except ValueError:
            if all(key.search(body) for key in _MEANT):
                raise
            return NOT_MEANT
        values = value if isinstance(value, list) else [value]
        meant = [_is_call(item) for item in values]
        if not any(meant):
            return NOT_MEANT
        if not all(meant):
            raise ValueError(f"entry {meant.index(False) + 1} of the list is not a call")
        return calls_of(values, keys, rules, repairs)

    return guarded(read)


read_bare = bare_reader()


def read_fence(body: str, rules: Rules) -> Reading:
    """Read a fence that may hold a call."""
    found = _FENCE.fullmatch(body)
    return read_bare(found.group(1), rules) if found else NOT_MEANT


def _is_call(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= _CALL_KEYS:
        return False
    if isinstance(value.get("function"), dict):
        return "arguments" in value["function"]
    return bool(value.keys() & {"name", "tool_name"}) and bool(value.keys() & {"arguments", "parameters"})


def object_block(read: Reader) -> Block:
    """A block that is one JSON object."""
    return Block(open="{", end=partial(Value, _OBJECT, head="{"), read=read, whole=True)


OBJECT = object_block(read_bare)
LIST = Block(open="[", end=partial(Value, LIST_START, head="["), read=read_bare, whole=True)
FENCE = Block(open="```", end=partial(Until, ("```",), skip=_LABEL), read=read_fence, closers=("```",))
BARE = Dialect(name="json", blocks=(OBJECT, LIST, FENCE))
