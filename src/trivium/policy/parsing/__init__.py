"""Parsing: what a reply says. Text in any cut, or control tokens, in; one account of every letter out.

    parser(dialect, ...)   a parser to feed, for a reply that arrives in pieces
    parse(text, dialect)   the same at once
    Parsed                 text, reasoning, calls, malformed; `stretches` give the reply back letter for letter

Always true: parsing never raises; the account does not depend on how the stream was cut; the arguments of a call are
an object, or the call is malformed with a reason. `hermes`, strict, is the dialect that is trained. `lenient` is for
models of others: it repairs what has one meaning, and says so in `Stretch.repairs`.
"""

from collections.abc import Sequence

from trivium.episode import ConfigError, ToolSpec

from .account import Parsed, Stretch, StretchKind
from .dialects import DIALECTS
from .reading import Rules
from .stream import Parser


def parser(
    dialect: str = "hermes", *, lenient: bool = False, tools: Sequence[ToolSpec] = (), opened: bool = False
) -> Parser:
    """A parser for one reply. `tools` give types to the parameters of dialects that write them without quotes.

    `opened`: the reply begins inside what the generation header opened: a thought (in harmony, a header).
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"there is no dialect {dialect!r}; choose one of {', '.join(sorted(DIALECTS))}")
    return DIALECTS[dialect](Rules(lenient=lenient, tools=tuple(tools), opened=opened))


def parse(text: str, dialect: str = "hermes", *, lenient: bool = False, tools: Sequence[ToolSpec] = ()) -> Parsed:
    """Read a whole reply."""
    reader = parser(dialect, lenient=lenient, tools=tools)
    reader.feed(text)
    reader.finish()
    return reader.parsed


__all__ = ["DIALECTS", "Parsed", "Parser", "Rules", "Stretch", "StretchKind", "parse", "parser"]
