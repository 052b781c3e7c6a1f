"""Repairs of near-JSON for models of others: each is a rewriting of letters outside strings, and each is named.

Repaired: a comma before a closing bracket, comments, single quotes, bare keys, True/False/None, raw line breaks and
tabs in strings, a fence around the whole. Never repaired, because more than one call could be meant: a missing bracket
or quote, a quote inside a string, a key twice.
"""

import json
import re
from collections.abc import Callable

_FENCE = re.compile(r"\s*```[A-Za-z_]*\n(.*)\n?```\s*", re.DOTALL)
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_TOKEN = re.compile(
    r'(?P<double>"(?:[^"\\]|\\.)*+"?)'
    r"|(?P<single>'(?:[^'\\]|\\.)*+'?)"
    rf"|(?P<comment>{_COMMENT})"
    rf"|(?P<comma>,(?=(?:\s|{_COMMENT})*+[}}\]]))"
    r"|(?P<key>(?<![\w$])[A-Za-z_$][\w$]*+(?=\s*+:))"
    r"|(?P<word>\b(?:True|False|None)\b)",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_RAW = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def relaxed(text: str) -> tuple[str, list[str]]:
    """`text` nearer to JSON, and the repairs that were made."""
    repairs: list[str] = []
    fenced = _FENCE.fullmatch(text)
    if fenced:
        repairs.append("took off a fence")
        text = fenced.group(1)

    def repair(found: re.Match[str]) -> str:
        new, said = _REPAIRS[found.lastgroup or ""](found.group())
        if new != found.group() and said not in repairs:
            repairs.append(said)
        return new

    return _TOKEN.sub(repair, text), repairs


def _double(word: str) -> tuple[str, str]:
    return re.sub(r"[\n\r\t]", lambda found: _RAW[found.group()], word), "escaped a raw line break or tab"


def _single(word: str) -> tuple[str, str]:
    inner = word[1:-1].replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return _double(f'"{inner}"')[0], "read single quotes as double"


_REPAIRS: dict[str, Callable[[str], tuple[str, str]]] = {
    "double": _double,
    "single": _single,
    "comment": lambda _: ("", "left out a comment"),
    "comma": lambda _: ("", "left out a comma before a closing bracket"),
    "key": lambda word: (json.dumps(word), "quoted a bare key"),
    "word": lambda word: (_WORDS[word], "read a Python constant as JSON"),
}
