"""Kimi K2: ``<|tool_call_begin|>functions.NAME:INDEX<|tool_call_argument_begin|>{...}<|tool_call_end|>``."""

import re
from functools import partial

from trivium.policy.parsing.calls import arguments_of, called, load
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

_ID = re.compile(r"(?:functions\.)?(.+?)(?::\d+)?")


@guarded
def read_kimi(body: str, rules: Rules) -> Reading:
    """Read an id and the arguments."""
    label, split, arguments = body.partition("<|tool_call_argument_begin|>")
    found = _ID.fullmatch(label.strip())
    if not split or not found:
        raise ValueError("the call has no id followed by <|tool_call_argument_begin|>")
    value, repairs = load(arguments, rules)
    call = called(found.group(1), arguments_of(value, rules, repairs))
    return Reading(calls=(call,), repairs=tuple(repairs))


_CALL = Block(
    open="<|tool_call_begin|>",
    end=partial(Until, ("<|tool_call_end|>",), ("<|tool_call_begin|>", "<|tool_calls_section_end|>")),
    read=read_kimi,
    closers=("<|tool_call_end|>",),
)
KIMI = Dialect(
    name="kimi_k2",
    blocks=(_CALL,),
    markup=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
)
