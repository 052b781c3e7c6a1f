"""Long work as people see it: a live bar on a terminal, sparse lines in a file or a CI log.

Always true: a plain log gets at most one line of progress in `GAP` seconds, its last trained step is never lost, and
before the first step no stage lasts longer than `GAP` (after the last line) without being named.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from .step_line import Clock, Stopwatch, step_line

GAP = 2.0
PATIENCE = 10.0
"""Seconds of silence after which a plain log says how far a stage is."""


class Live:
    """Draws on a terminal."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.bars = Bars(*columns, TimeElapsedColumn(), console=console, transient=True, refresh_per_second=4)
        self._task: TaskID | None = None
        self._watch = Stopwatch()

    def stage(self, name: str, total: int | None = None) -> None:
        """Replace the bar."""
        self._watch.stage(name)
        if self._task is not None:
            self.bars.remove_task(self._task)
        self._task = self.bars.add_task(name, total=total)

    def tick(self) -> None:
        """Move the bar."""
        if self._task is not None:
            self.bars.advance(self._task)

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """One line above the bar."""
        self.note(step_line(step, metrics, self._watch.seconds()))

    def note(self, line: str) -> None:
        """A line above the bar."""
        self.bars.console.print(line, soft_wrap=True)


class Lines:
    """Writes lines, and few of them."""

    def __init__(self, write: Callable[[str], None], clock: Clock = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._said = -PATIENCE
        self._watch = Stopwatch(clock)
        self._stage, self._done, self._total = "", 0, 0
        self._held: str | None = None
        self._stepped = False
        self._reminder: threading.Timer | None = None

    def stage(self, name: str, total: int | None = None) -> None:
        """Begin to count; said only when the stage takes long. (A step is told by its own line.)"""
        self._watch.stage(name)
        self._stage, self._done, self._total = name, 0, total or 0
        self._hush()
        if not self._stepped:
            self._remind(GAP)

    def tick(self) -> None:
        """Count; after a silence, say what is held back, else how far it is."""
        self._done += 1
        silence = self._clock() - self._said
        if self._held is not None and silence >= GAP:
            self.flush()
        elif silence >= PATIENCE:
            self._say(self._so_far())

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """Say the step, or hold it back when the last line is too fresh."""
        self._stepped = True
        self._hush()
        self._held = step_line(step, metrics, self._watch.seconds())
        if self._clock() - self._said >= GAP:
            self.flush()

    def note(self, line: str) -> None:
        """Rare, and always said."""
        self._write(line)

    def flush(self) -> None:
        """Say what is held back, and nothing after it."""
        self._hush()
        if self._held is not None:
            self._say(self._held)
        self._held = None

    def _so_far(self) -> str:
        begun = self._total and self._done
        return f"{self._stage}: {self._done} of {self._total}" if begun else f"{self._stage} ..."

    def _remind(self, seconds: float) -> None:
        self._reminder = threading.Timer(seconds, self._overdue)
        self._reminder.daemon = True
        self._reminder.start()

    def _overdue(self) -> None:
        """The stage lasts: say so, once the last line is old enough."""
        left = GAP - (self._clock() - self._said)
        if left > 0:
            self._remind(left)
        else:
            self._say(self._so_far())

    def _hush(self) -> None:
        if self._reminder is not None:
            self._reminder.cancel()

    def _say(self, line: str) -> None:
        self._said = self._clock()
        self._write(line)


@contextmanager
def shown() -> Iterator[Live | Lines]:
    """Progress on standard error: a live bar on a terminal, plain lines elsewhere."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        live = Live(console)
        with live.bars:
            yield live
        return
    lines = Lines(lambda line: console.print(line, soft_wrap=True))
    try:
        yield lines
    finally:
        lines.flush()
