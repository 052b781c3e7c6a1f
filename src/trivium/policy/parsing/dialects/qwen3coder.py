"""Qwen3-Coder: ``<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>``.

A value is text unless the tool's schema, or failing that its own letters, make it JSON; one line break at each end of
it is layout.
"""

import re
from functools import partial

from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

from .parameters import call_from, run_of, unframed

_PARAMETER = re.compile(r"\s*<parameter=([^<>\n]+)>(.*?)</parameter>", re.DOTALL)
_FUNCTION = re.compile(r"\s*<function=(.*?)</function>\s*", re.DOTALL)


@guarded
def read_function(body: str, rules: Rules) -> Reading:
    """Read what stands after ``<function=``."""
    name, opened, rest = body.partition(">")
    if not opened:
        raise ValueError("the tag <function= is not complete")
    pairs = [(found.group(1).strip(), unframed(found.group(2))) for found in run_of(_PARAMETER, rest)]
    return Reading(calls=(call_from(name.strip(), pairs, rules),))


@guarded
def read_functions(body: str, rules: Rules) -> Reading:
    """Read one or more whole ``<function=...></function>``, as between ``<tool_call>`` tags."""
    readings = [read_function(found.group(1), rules) for found in run_of(_FUNCTION, body)]
    faulty = next((reading for reading in readings if reading.reason), None)
    return faulty or Reading(calls=tuple(call for reading in readings for call in reading.calls))


FUNCTION = Block(
    open="<function=",
    end=partial(Until, ("</function>",), ("</tool_call>", "<function=")),
    read=read_function,
    closers=("</function>",),
)
QWEN_XML = Dialect(name="qwen3coder", blocks=(FUNCTION,), markup=("<tool_call>", "</tool_call>"))
