"""Progress of long work, as a seam: the command line draws it, a script may ignore it."""

from collections.abc import Callable, Mapping
from typing import Protocol


class Progress(Protocol):
    """Told what happens; must not raise and must not block."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A new piece of work begins, of `total` ticks if known."""
        ...

    def tick(self) -> None:
        """One unit of the current work is done."""
        ...

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """A step was committed."""
        ...

    def note(self, line: str) -> None:
        """Something a person should know."""
        ...


def as_stages(progress: Progress) -> Callable[[str, int, int], None]:
    """What reading, indexing and making tasks tell (stage, done, total), as stages and ticks."""
    current, ticks = "", 0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal current, ticks
        if stage != current:
            progress.stage(stage, total)
            current, ticks = stage, 0
        while ticks < done:
            progress.tick()
            ticks += 1

    return tell


class Quiet:
    """Says nothing."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Nothing."""

    def tick(self) -> None:
        """Nothing."""

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """Nothing."""

    def note(self, line: str) -> None:
        """Nothing."""
