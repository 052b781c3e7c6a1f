"""Cohere Command: ``<|START_ACTION|>[{"tool_name": ..., "parameters": {...}}]<|END_ACTION|>``."""

from functools import partial

from trivium.policy.parsing.calls import Keys, calls_of, load
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded

_KEYS = Keys(name="tool_name", arguments="parameters")


@guarded
def read_actions(body: str, rules: Rules) -> Reading:
    """Read one action or a list of them."""
    value, repairs = load(body, rules)
    return calls_of(value if isinstance(value, list) else [value], _KEYS, rules, repairs)


COHERE = Dialect(
    name="cohere",
    blocks=(
        Block(
            open="<|START_ACTION|>",
            end=partial(Until, ("<|END_ACTION|>",), ("<|START_ACTION|>",)),
            read=read_actions,
            closers=("<|END_ACTION|>",),
        ),
    ),
    thoughts=(("<|START_THINKING|>", "<|END_THINKING|>"),),
    markup=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
)
