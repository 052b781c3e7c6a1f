"""Harmony (gpt-oss): ``<|channel|>analysis<|message|>...<|end|>``, then ``<|start|>assistant`` and a call,
``<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>``.

A message is a header and a body. Analysis is reasoning; a header with a recipient is a call, on any channel (this
family calls from within its reasoning); a message whose author is not the assistant is text, never a result.
"""

import re

from trivium.policy.parsing.account import StretchKind
from trivium.policy.parsing.calls import arguments_of, called, load
from trivium.policy.parsing.lexer import Atom
from trivium.policy.parsing.reading import Reading, Rules, guarded
from trivium.policy.parsing.stream import Parser

_STARTS = ("<|start|>", "<|channel|>")
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_MARKERS = (*_STARTS, *_ENDS, "<|message|>", "<|constrain|>")
_AUTHOR = re.compile(r"<\|start\|>\s*([\w.]+)")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")


class HarmonyParser(Parser):
    """Reads one reply of gpt-oss."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(_MARKERS)
        self._rules = rules
        self._header: list[str] = [""] if rules.opened else []
        self._said_as = StretchKind.TEXT
        self._name = ""
        self._raw: list[str] = []

    def _take(self, atom: Atom) -> None:
        if self._header:
            self._in_header(atom)
        elif atom.mark and atom.text in _STARTS:
            self._end_body("")
            self._header = [atom.text]
        elif atom.mark and atom.text in _ENDS:
            self._end_body(atom.text)
        else:
            self._in_body(atom.text)

    def _end(self) -> None:
        self._end_body("")
        if self._header:
            self._cut_header()

    def _in_header(self, atom: Atom) -> None:
        if atom.mark and atom.text == "<|message|>":
            self._open_body("".join(self._header) + atom.text)
        elif atom.mark and atom.text in ("<|start|>", *_ENDS):
            self._cut_header()
            self._take(atom)
        else:
            self._header.append(atom.text)

    def _cut_header(self) -> None:
        header, self._header = "".join(self._header), []
        if not any(start in header for start in _STARTS):
            self._say(StretchKind.TEXT, header)
        elif _RECIPIENT.search(header):
            self._tell(header, Reading(reason="the call ends before its <|message|>"))
        else:
            self._say(StretchKind.MARKUP, header)

    def _open_body(self, header: str) -> None:
        self._header = []
        author, channel, recipient = (rule.search(header) for rule in (_AUTHOR, _CHANNEL, _RECIPIENT))
        if author and author.group(1) != "assistant":
            return self._say(StretchKind.TEXT, header)
        if recipient:
            self._name, self._raw = recipient.group(1), [header]
            return None
        self._said_as = StretchKind.REASONING if channel and channel.group(1) == "analysis" else StretchKind.TEXT
        return self._say(StretchKind.MARKUP, header)

    def _in_body(self, text: str) -> None:
        if self._name:
            self._raw.append(text)
        else:
            self._say(self._said_as, text)

    def _end_body(self, mark: str) -> None:
        if self._name:
            raw = "".join(self._raw)
            self._tell(raw + mark, _read_call(self._name, self._rules, raw.partition("<|message|>")[2]))
        else:
            self._say(StretchKind.MARKUP, mark)
        self._name, self._raw, self._said_as = "", [], StretchKind.TEXT


def _read_call(name: str, rules: Rules, body: str) -> Reading:
    @guarded
    def read(body: str, rules: Rules) -> Reading:
        value, repairs = load(body, rules)
        return Reading(calls=(called(name, arguments_of(value, rules, repairs)),), repairs=tuple(repairs))

    return read(body, rules)
