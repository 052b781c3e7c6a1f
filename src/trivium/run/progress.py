"""Progress of long work, as a seam: the command line draws it, a script may ignore it."""

from collections.abc import Mapping
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
