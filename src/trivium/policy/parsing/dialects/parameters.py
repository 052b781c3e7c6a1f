"""What the XML-like dialects share: parameters without quotes, and the ``invoke`` element."""

import re
from collections.abc import Callable, Sequence

from trivium.episode import Json, ToolCall
from trivium.policy.parsing.calls import called
from trivium.policy.parsing.reading import Reading, Rules, guarded
from trivium.policy.parsing.values import check_text, read_pairs, read_typed


def run_of(pattern: re.Pattern[str], text: str, at: int = 0) -> list[re.Match[str]]:
    """Matches of `pattern` that follow each other from `at` on without a gap. Raises ValueError if text is left."""
    found: list[re.Match[str]] = []
    while match := pattern.match(text, at):
        found.append(match)
        at = match.end()
    if rest := text[at:].strip():
        raise ValueError(f"{rest[:40]!r} stands where a parameter should")
    return found


def unframed(value: str) -> str:
    """`value` without the one line break that layout puts at each end."""
    return value.removeprefix("\n").removesuffix("\n")


def call_from(name: str, pairs: Sequence[tuple[str, str]], rules: Rules) -> ToolCall:
    """A call from bare parameters. Raises ValueError with the reason."""
    typed: list[tuple[str, Json]] = []
    for key, value in pairs:
        check_text(key + value)
        typed.append((key, read_typed(value, rules.schema(name, key))))
    return called(name, read_pairs(typed))


def invoke_reader(prefix: str) -> Callable[[str, Rules], Reading]:
    """The reader of `` name="NAME"><PREFIXparameter name="KEY">VALUE</PREFIXparameter>``, after ``<PREFIXinvoke``.

    ``string="true"`` beside a key makes its value text, ``"false"`` makes it JSON.
    """
    tag = re.escape(prefix)
    head = re.compile(r'\s*name="([^"]*)"\s*>')
    parameter = re.compile(
        rf'\s*<{tag}parameter\s+name="([^"]+)"(?:\s+string="(true|false)")?\s*>(.*?)</{tag}parameter>', re.DOTALL
    )

    @guarded
    def read(body: str, rules: Rules) -> Reading:
        start = head.match(body)
        if not start:
            raise ValueError("the invoke tag names no tool")
        pairs: list[tuple[str, Json]] = []
        for found in run_of(parameter, body, start.end()):
            key, kind, value = found.groups()
            schema = {"type": "string"} if kind == "true" else rules.schema(start.group(1), key)
            check_text(key + value)
            pairs.append((key, read_typed(unframed(value), schema)))
        return Reading(calls=(called(start.group(1), read_pairs(pairs)),))

    return read
