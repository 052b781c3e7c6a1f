"""How a command ends: 2 for what the user can fix, 130 for Ctrl-C; anything unexpected keeps its traceback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from trivium.episode import TriviumError

from .console import err

MENDABLE, STOPPED = 2, 130


@contextmanager
def guard(resume: Callable[[], str] = lambda: "run the command again") -> Iterator[None]:
    """Turn errors that Trivium raises on purpose, and Ctrl-C, into one sentence and an exit code.

    `resume` says how to go on after Ctrl-C; it is asked at that moment.
    """
    try:
        yield
    except TriviumError as error:
        say_error(str(error))
        raise typer.Exit(MENDABLE) from error
    except KeyboardInterrupt as stop:
        err().print(f"stopped; {resume()}", style="yellow", soft_wrap=True)
        raise typer.Exit(STOPPED) from stop


def say_error(sentence: str) -> None:
    """One red sentence on standard error."""
    err().print(sentence, style="red", soft_wrap=True)
