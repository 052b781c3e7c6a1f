"""Every block dialect at once, for a model whose dialect is not known. Harmony apart, which has no blocks."""

from functools import partial

from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Value
from trivium.policy.parsing.reading import Reading, Rules

from .cohere import COHERE
from .deepseek import DEEPSEEK
from .hermes import TAGGED
from .json import FENCE, LIST_START, OBJECT, read_bare
from .kimi_k2 import KIMI
from .llama3 import LLAMA
from .minimax import MINIMAX
from .mistral import MISTRAL
from .pythonic import CALLS_START, read_pythonic
from .qwen3coder import FUNCTION
from .step3 import STEP


def _read_list(body: str, rules: Rules) -> Reading:
    return read_pythonic(body, rules) if CALLS_START.yes.match(body) else read_bare(body, rules)


_LIST = Block(open="[", end=partial(Value, LIST_START, CALLS_START, head="["), read=_read_list, whole=True)
_FAMILIES = (KIMI, LLAMA, COHERE, DEEPSEEK, MISTRAL, MINIMAX, STEP)
MIXED = Dialect(
    name="any",
    blocks=(TAGGED, FUNCTION, OBJECT, _LIST, FENCE, *(block for family in _FAMILIES for block in family.blocks)),
    thoughts=(("<think>", "</think>"), *COHERE.thoughts, *MISTRAL.thoughts),
    markup=tuple(tag for family in _FAMILIES for tag in family.markup),
)
