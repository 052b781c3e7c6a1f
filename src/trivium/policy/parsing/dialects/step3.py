"""Step-3: ``<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME">...<｜tool_call_end｜>``."""

from functools import partial

from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

from .parameters import invoke_reader

_BEGIN, _END, _HEAD = "<｜tool_call_begin｜>", "<｜tool_call_end｜>", "function<｜tool_sep｜><steptml:invoke"
_CLOSE = "</steptml:invoke>"
_read_invoke = invoke_reader("steptml:")


@guarded
def read_step(body: str, rules: Rules) -> Reading:
    """Read the one invoke element of a call."""
    inner = body.strip()
    if not inner.startswith(_HEAD) or not inner.endswith(_CLOSE):
        raise ValueError("the call is no whole steptml:invoke")
    return _read_invoke(inner[len(_HEAD) : -len(_CLOSE)], rules)


STEP = Dialect(
    name="step3",
    blocks=(
        Block(
            open=_BEGIN,
            end=partial(Until, (_END,), (_BEGIN, "<｜tool_calls_end｜>")),
            read=read_step,
            closers=(_END,),
        ),
    ),
    markup=("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
)
