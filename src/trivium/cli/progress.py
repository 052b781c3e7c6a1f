"""Long work as people see it: a live bar on a terminal, sparse lines in a file or a CI log.

Always true: a plain log gets at most one line of progress in `GAP` seconds, and its last trained step is never lost.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from .console import err

GAP = 2.0
PATIENCE = 10.0
"""Seconds of silence after which a plain log says how far a stage is."""
SHOWN = {
    "term.reward": ("reward", ".3f"),
    "term.recall": ("recall", ".3f"),
    "term.r_fa": ("answer found", ".3f"),
    "term.searches": ("searches", ".2f"),
    "learn.entropy": ("entropy", ".3f"),
    "parity.k3": ("k3", ".1e"),
}


def step_line(step: int, metrics: Mapping[str, float], seconds: float) -> str:
    """A trained step in one line; steps count from 1 for people."""
    figures = [f"{label} {metrics[key]:{form}}" for key, (label, form) in SHOWN.items() if key in metrics]
    if "parity.k3" not in metrics:
        figures += [f"loss {metrics['learn.loss']:.3f}"] if "learn.loss" in metrics else ["no group differed"]
    return "  ".join([f"step {step + 1:>4}", *figures, f"{seconds:.1f} s"])


class Live:
    """Draws on a terminal."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.bars = Bars(*columns, TimeElapsedColumn(), console=console, transient=True, refresh_per_second=4)
        self._task: TaskID | None = None
        self._since = time.monotonic()

    def stage(self, name: str, total: int | None = None) -> None:
        """Replace the bar."""
        if self._task is not None:
            self.bars.remove_task(self._task)
        self._task = self.bars.add_task(name, total=total)

    def tick(self) -> None:
        """Move the bar."""
        if self._task is not None:
            self.bars.advance(self._task)

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """One line above the bar."""
        now = time.monotonic()
        self.note(step_line(step, metrics, now - self._since))
        self._since = now

    def note(self, line: str) -> None:
        """A line above the bar."""
        self.bars.console.print(line, soft_wrap=True)


class Lines:
    """Writes lines, and few of them."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._said = -PATIENCE
        self._since = clock()
        self._stage, self._done, self._total = "", 0, 0
        self._held: str | None = None

    def stage(self, name: str, total: int | None = None) -> None:
        """Begin to count; said only when the stage takes long."""
        self._stage, self._done, self._total = name, 0, total or 0

    def tick(self) -> None:
        """Count; after a silence, say how far it is."""
        self._done += 1
        if self._clock() - self._said >= PATIENCE:
            self._say(f"{self._stage}: {self._done} of {self._total}")

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """Say the step, or hold it back when the last line is too fresh."""
        now = self._clock()
        line = step_line(step, metrics, now - self._since)
        self._since = now
        self._held = line
        if now - self._said >= GAP:
            self.flush()

    def note(self, line: str) -> None:
        """Rare, and always said."""
        self._write(line)

    def flush(self) -> None:
        """Say what is held back."""
        if self._held is not None:
            self._say(self._held)
        self._held = None

    def _say(self, line: str) -> None:
        self._said = self._clock()
        self._write(line)


@contextmanager
def shown() -> Iterator[Live | Lines]:
    """Progress on standard error, as fits what stands behind it."""
    console = err()
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
