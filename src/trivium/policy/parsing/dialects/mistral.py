"""Mistral: ``[TOOL_CALLS] [{"name": ..., "arguments": {...}}]``; newer: ``[TOOL_CALLS]NAME[ARGS]{...}``."""

import re
from functools import partial

from trivium.policy.parsing.calls import Keys, arguments_of, called, calls_of, load
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Start, Value
from trivium.policy.parsing.reading import Reading, Rules, guarded

_START = Start(
    yes=re.compile(r"\s{0,200}(?:[\w.-]{1,128}\[ARGS\]\s{0,200})?(?P<open>[\[{])"),
    maybe=re.compile(r"\s{0,200}(?:[\w.-]{1,128}(?:\[ARGS\]\s{0,200})?)?"),
)


@guarded
def read_list(body: str, rules: Rules) -> Reading:
    """Read a list of calls, one call, or a name with its arguments."""
    name, newer, arguments = body.partition("[ARGS]")
    if newer and re.fullmatch(r"\s*[\w.-]+", name):
        value, repairs = load(arguments, rules)
        call = called(name.strip(), arguments_of(value, rules, repairs))
        return Reading(calls=(call,), repairs=tuple(repairs))
    value, repairs = load(body, rules)
    return calls_of(value if isinstance(value, list) else [value], Keys(), rules, repairs)


MISTRAL = Dialect(
    name="mistral",
    blocks=(Block(open="[TOOL_CALLS]", end=partial(Value, _START), read=read_list),),
    thoughts=(("[THINK]", "[/THINK]"),),
    markup=("[ARGS]",),
)
