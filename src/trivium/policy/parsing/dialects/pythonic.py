"""Pythonic (Llama 4, Olmo): ``[search(query="rust", limit=5), now()]``, keyword arguments that are literals."""

import ast
import re
import warnings
from functools import partial

from trivium.episode import Json, ToolCall
from trivium.policy.parsing.calls import called
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Start, Value
from trivium.policy.parsing.reading import NOT_MEANT, Reading, Rules, guarded
from trivium.policy.parsing.values import checked, read_pairs


@guarded
def read_pythonic(body: str, rules: Rules) -> Reading:
    """Read a list of calls; nothing is evaluated."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(body.strip(), mode="eval").body
        if not isinstance(tree, ast.List):
            return NOT_MEANT
        return Reading(calls=tuple(_call(node) for node in tree.elts))
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"invalid Python: {type(error).__name__}") from error


def _call(node: ast.expr) -> ToolCall:
    if not isinstance(node, ast.Call):
        raise ValueError("an entry of the list is not a call")
    if node.args or any(keyword.arg is None for keyword in node.keywords):
        raise ValueError("an argument has no name")
    return called(ast.unparse(node.func), checked(read_pairs([(str(k.arg), _literal(k.value)) for k in node.keywords])))


def _literal(node: ast.expr) -> Json:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return read_pairs([(_key(key), _literal(value)) for key, value in zip(keys, values, strict=True)])
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case _:
            raise ValueError("an argument is not a literal that JSON can hold")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise ValueError("a key is not a string")


CALLS_START = Start(
    yes=re.compile(r"(?P<open>\[)\s{0,200}[A-Za-z_][\w.]{0,128}\("),
    maybe=re.compile(r"\[\s{0,200}(?:[A-Za-z_][\w.]{0,128})?"),
    python=True,
)
CALLS = Block(open="[", end=partial(Value, CALLS_START, head="["), read=read_pythonic, whole=True)
PYTHONIC = Dialect(name="pythonic", blocks=(CALLS,))
