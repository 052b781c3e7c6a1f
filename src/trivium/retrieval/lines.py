"""Lines of a file in bounded memory, whatever the file holds.

A line above `LINE_LIMIT` bytes is passed over without being held, and noted by its number. Bytes that are not UTF-8
become replacement characters, and are noted. Numbers start at 1.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from trivium.episode import Json

from .report import Skip, Tally

LINE_LIMIT = 8 << 20  # bytes; a longer line is no document that an agent can read
Record: TypeAlias = dict[str, Json]


def read_lines(path: Path, tally: Tally) -> Iterator[tuple[int, str]]:
    """The non-blank lines of `path` with their numbers; OSError when it cannot be opened."""
    number = 0
    with path.open("rb") as file:
        while line := file.readline(LINE_LIMIT + 1):
            number += 1
            where = f"{path.name} line {number}"
            if len(line) > LINE_LIMIT:
                while line and not line.endswith(b"\n"):
                    line = file.readline(1 << 20)
                tally.note(Skip.LONG_LINE, where)
            elif line.strip():
                yield number, decode(line, where, tally)


def decode(data: bytes, where: str, tally: Tally) -> str:
    """`data` as UTF-8 without a byte-order mark, broken bytes replaced and noted."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        tally.note(Skip.BROKEN_UTF8, where)
        return data.decode("utf-8-sig", "replace")


def read_records(path: Path, tally: Tally) -> Iterator[tuple[int, Record]]:
    """The JSON objects of a JSONL file with their line numbers; other lines are noted."""
    for number, line in read_lines(path, tally):
        try:
            yield number, msgspec.json.decode(line, type=dict[str, Json])
        except (msgspec.DecodeError, RecursionError):
            tally.note(Skip.BAD_JSON, f"{path.name} line {number}")


def text_field(record: Record, *names: str) -> str | None:
    """The first of the fields `names` that is there, if it is a string (or a whole number), else None."""
    value = next((record[name] for name in names if name in record), None)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)


def list_field(record: Record, name: str) -> tuple[str, ...]:
    """The strings of a field that is a list of strings or one string; empty when it is neither."""
    value = record.get(name)
    values = value if isinstance(value, list) else [value]
    return tuple(item for item in values if isinstance(item, str))
