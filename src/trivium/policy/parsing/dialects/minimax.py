"""MiniMax M2: ``<minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>...``."""

from functools import partial

from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until

from .parameters import invoke_reader

_WRAPPER = ("<minimax:tool_call>", "</minimax:tool_call>")
MINIMAX = Dialect(
    name="minimax",
    blocks=(
        Block(
            open="<invoke",
            end=partial(Until, ("</invoke>",), ("<invoke", "</minimax:tool_call>")),
            read=invoke_reader(""),
            closers=("</invoke>",),
        ),
    ),
    markup=_WRAPPER,
)
