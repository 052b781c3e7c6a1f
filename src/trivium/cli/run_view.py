"""A run as tables and lines. Reads only: a run may go on meanwhile."""

from rich.console import Console
from rich.table import Table

from trivium.bench import metric_title
from trivium.episode import DataError
from trivium.store import RunStore
from trivium.web import (
    CURVES,
    Figures,
    event_lines,
    families,
    figures,
    finding_lines,
    outcome_lines,
    ranked,
    recipe_lines,
    ways_on,
)

from .console import out
from .sparks import WIDTH, spark
from .tables import arms_table, difference_table

GAP = 2
"""Columns between those of a table."""


def show_run(store: RunStore) -> None:
    """Everything about a run on one page."""
    console = out()
    console.print(f"{store.folder}: {len(store.ledger.commits())} steps committed", soft_wrap=True)
    console.print("keys of its recipe that differ from their defaults:")
    for line in recipe_lines(store):
        console.print(f"  {line}", soft_wrap=True)
    _table(console, curves(store, console.width))
    _table(console, family_table(store))
    for line in [*outcome_lines(store), *finding_lines(store), *event_lines(store), *example_lines(store)]:
        console.print(line, soft_wrap=True)
    try:
        found = figures(store)
    except DataError as error:
        console.print(str(error), soft_wrap=True)
    else:
        _measured(console, found)
    console.print(ways_on(store), soft_wrap=True)


def curves(store: RunStore, width: int) -> Table:
    """A sparkline per metric, as long as the width leaves room."""
    known = {name: [value for _, value in store.journal.curve(name)] for name in CURVES}
    rows = [(metric_title(name), f"{v[0]:.4g}", f"{v[-1]:.4g}", v) for name, v in known.items() if v]
    heads = ("curve", "first step", "last step")
    taken = sum(max(map(len, column)) + GAP for column in zip(heads, *(row[:3] for row in rows), strict=True))
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for column, justify in zip((*heads, "over the steps"), ("left", "right", "right", "left"), strict=True):
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for *cells, values in rows:
        table.add_row(*cells, spark(values, max(1, min(WIDTH, width - taken))))
    return table


def family_table(store: RunStore) -> Table:
    """Reward terms of the last step, by task family."""
    found = families(store)
    table = Table(box=None, pad_edge=False)
    for column in ("term, last step", *found.kinds):
        table.add_column(column)
    for term, values in found.terms.items():
        table.add_row(metric_title(term), *("-" if value is None else f"{value:.4g}" for value in values))
    return table


def example_lines(store: RunStore) -> list[str]:
    """The worst, the middle and the best episode of the last step, to read next."""
    found = ranked(store)
    if not found:
        ids = store.episodes.ids()[-3:]
        return [f"read one: trivium show {store.folder} --episode {name}" for name in ids]
    chosen = {"worst": found[0], "middle": found[len(found) // 2], "best": found[-1]}
    return [
        f"{rank} of the last step, reward {episode.terms().get('reward', 0.0):.3f}: "
        f"trivium show {store.folder} --episode {episode.id}"
        for rank, episode in chosen.items()
    ]


def _measured(console: Console, found: Figures | None) -> None:
    """The arms and their differences, where there is a report."""
    if found and found.arms:
        console.print()
        console.print(arms_table(found.arms))
    if found and found.differences:
        console.print(difference_table(found.differences))


def _table(console: Console, table: Table) -> None:
    if table.row_count:
        console.print()
        console.print(table)
        console.print()
