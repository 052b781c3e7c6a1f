"""GLM: ``<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>``."""

import re
from functools import partial

from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

from .parameters import call_from, run_of

_PAIR = re.compile(r"\s*<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)


@guarded
def read_glm(body: str, rules: Rules) -> Reading:
    """Read what stands between the tags: a name, then pairs of key and value."""
    name, opened, _ = body.partition("<arg_key>")
    pairs = [(found.group(1).strip(), found.group(2)) for found in run_of(_PAIR, body, len(name))]
    name = name.strip()
    if not opened and not re.fullmatch(r"[\w.-]+", name):
        raise ValueError("the body is no name of a tool")
    return Reading(calls=(call_from(name, pairs, rules),))


GLM = Dialect(
    name="glm",
    blocks=(
        Block(
            open="<tool_call>",
            end=partial(Until, ("</tool_call>",), ("<tool_call>",)),
            read=read_glm,
            closers=("</tool_call>",),
        ),
    ),
)
