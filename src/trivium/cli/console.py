"""Where words go: results to standard output, progress and errors to standard error."""

from rich.console import Console

PLAIN_WIDTH = 120
"""Columns of a table that no terminal bounds (a file, a CI log)."""


def out() -> Console:
    """Standard output, as it is now (tests and pipes replace it)."""
    return _sized(Console(highlight=False, markup=False, emoji=False))


def err() -> Console:
    """Standard error, as it is now."""
    return _sized(Console(stderr=True, highlight=False, markup=False, emoji=False))


def _sized(console: Console) -> Console:
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console
