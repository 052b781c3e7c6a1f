"""Llama 3: ``<|python_tag|>{"name": ..., "parameters": {...}}``, several of them joined by ``;``, to the end.

`LLAMA_JSON` is what the chat template of Llama 3.2 shows: the JSON alone, without the tag.
"""

import json
from functools import partial

from trivium.policy.parsing.calls import Keys, calls_of, json_calls
from trivium.policy.parsing.dialect import Block, Dialect
from trivium.policy.parsing.ends import Until
from trivium.policy.parsing.reading import Reading, Rules, guarded
from trivium.policy.parsing.values import read_json

from .json import bare_reader, object_block

_ENDS = ("<|eom_id|>", "<|eot_id|>")
_KEYS = Keys(arguments="parameters")
_read_one = json_calls(_KEYS)


@guarded
def read_joined(body: str, rules: Rules) -> Reading:
    """Read JSON calls joined by ``;``."""
    if not body.strip():
        raise ValueError("no call follows <|python_tag|>")
    values, at = [], _skip(body, 0)
    while at < len(body):
        try:
            _, end = _SCANNER.raw_decode(body, at)
        except (ValueError, RecursionError):
            return _read_one(body, rules)
        values.append(read_json(body[at:end]))
        at = _skip(body, end)
    return calls_of(values, _KEYS, rules)


def _skip(body: str, at: int) -> int:
    while at < len(body) and body[at] in "; \t\r\n":
        at += 1
    return at


_SCANNER = json.JSONDecoder()
LLAMA = Dialect(
    name="llama3",
    blocks=(Block(open="<|python_tag|>", end=partial(Until, _ENDS), read=read_joined, closers=_ENDS, to_the_end=True),),
)
LLAMA_JSON = Dialect(name="llama3_json", blocks=(*LLAMA.blocks, object_block(bare_reader(_KEYS))))
