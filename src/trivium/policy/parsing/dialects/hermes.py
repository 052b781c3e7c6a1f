"""Hermes and Qwen: ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``, the dialect that is trained.

Strict: the body is one JSON object with exactly these two keys. Lenient: also a list of them, and the XML-like bodies
that other models put between the same tags.
"""

from functools import partial

from trivium.policy.parsing.calls import json_calls
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules

from .glm import read_glm
from .qwen3coder import read_functions

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_read_json = json_calls()


def read_tagged(body: str, rules: Rules) -> Reading:
    """Read what stands between the tags."""
    start = body.lstrip()
    if rules.lenient and start.startswith("<function="):
        return read_functions(body, rules)
    if rules.lenient and "<arg_key>" in start:
        return read_glm(body, rules)
    return _read_json(body, rules)


TAGGED = Block(open=OPEN, end=partial(Until, (CLOSE,), (OPEN,)), read=read_tagged, closers=(CLOSE,))
HERMES = Dialect(name="hermes", blocks=(TAGGED,))
