"""Rows of figures by metric, as wide as the terminal: what does not fit beside goes below, and nothing is cut off."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.table import Table

from trivium.bench import METRICS, Interval, metric_title

Figures = Mapping[str, Interval]
LABEL = 24
"""Columns of a row's label at most; longer ones take several lines."""
FRAME = 3
"""Columns that a cell takes beside its text."""


@dataclass(frozen=True)
class Grid:
    """A renderable: a row per label, a column per metric that some row has."""

    head: str
    """What the labels are."""
    rows: Mapping[str, Figures]
    show: Callable[[Interval | None], str]
    """A figure as text of one or two lines."""
    caption: str

    @property
    def metrics(self) -> list[str]:
        """The metrics that some row has, those that people ask for first."""
        return [metric for metric in METRICS if any(metric in figures for figures in self.rows.values())]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        """Tables one below the other, each within the width."""
        label = min(LABEL, max(map(len, (self.head, *self.rows)), default=0))
        room = options.max_width - label - FRAME - 1
        parts = list(packed({metric: self._width(metric) for metric in self.metrics}, room))
        for metrics in parts:
            yield self._table(metrics, self.caption if metrics is parts[-1] else None)

    def _width(self, metric: str) -> int:
        lines = [line for figures in self.rows.values() for line in self.show(figures.get(metric)).split("\n")]
        return max(map(len, [*lines, *metric_title(metric).split()])) + FRAME

    def _table(self, metrics: Sequence[str], caption: str | None) -> Table:
        table = Table(caption=caption, caption_justify="left")
        table.add_column(self.head, max_width=LABEL)
        for metric in metrics:
            table.add_column("\n".join(metric_title(metric).split()), justify="right")
        for label, figures in self.rows.items():
            table.add_row(label, *(self.show(figures.get(metric)) for metric in metrics))
        return table


def packed(widths: Mapping[str, int], room: int) -> Iterator[list[str]]:
    """Names in their order, in lists whose widths fit into the room (one that fits nowhere is alone)."""
    part: list[str] = []
    for name, width in widths.items():
        if part and sum(widths[one] for one in part) + width > room:
            yield part
            part = []
        part.append(name)
    if part:
        yield part
