"""DeepSeek, three forms.

V3, R1: ``<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME``, a line break, the arguments in a ``json`` fence;
V3.1: ``<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}``; V3.2, V4: ``<｜DSML｜invoke name="NAME">`` with parameters.
"""

import re
from functools import partial

from trivium.policy.parsing.calls import arguments_of, called, load
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

from .parameters import invoke_reader

_FENCED = re.compile(r"([^\n]+)\n```json\n(.*?)\n?```\s*", re.DOTALL)
_BEGIN, _END, _SEP = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"
_DSML_OPEN, _DSML_CLOSE = "<｜DSML｜invoke", "</｜DSML｜invoke>"


@guarded
def read_call(body: str, rules: Rules) -> Reading:
    """Read the older forms."""
    head, split, rest = body.partition(_SEP)
    fenced = _FENCED.fullmatch(rest)
    name, arguments = fenced.groups() if fenced else (head, rest)
    if not split or (head.strip() == "function" and not fenced):
        raise ValueError(f"the call has no name and arguments around {_SEP}")
    value, repairs = load(arguments, rules)
    return Reading(calls=(called(name.strip(), arguments_of(value, rules, repairs)),), repairs=tuple(repairs))


_CALL = Block(
    open=_BEGIN, end=partial(Until, (_END,), (_BEGIN, "<｜tool▁calls▁end｜>")), read=read_call, closers=(_END,)
)
_INVOKE = Block(
    open=_DSML_OPEN,
    end=partial(Until, (_DSML_CLOSE,), (_DSML_OPEN,)),
    read=invoke_reader("｜DSML｜"),
    closers=(_DSML_CLOSE,),
)
DEEPSEEK = Dialect(
    name="deepseek",
    blocks=(_CALL, _INVOKE),
    markup=(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        "<｜DSML｜tool_calls>",
        "</｜DSML｜tool_calls>",
        "<｜DSML｜function_calls>",
        "</｜DSML｜function_calls>",
    ),
)
