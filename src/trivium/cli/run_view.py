"""A run as tables and lines. Reads only: a run may go on meanwhile."""

from rich.console import Console
from rich.table import Table

from trivium.episode import DataError
from trivium.store import RunStore
from trivium.web import (
    CURVES,
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
from .sparks import spark
from .tables import arms_table


def show_run(store: RunStore) -> None:
    """Everything about a run on one page."""
    console = out()
    console.print(f"{store.folder}: {len(store.ledger.commits())} steps committed", soft_wrap=True)
    for line in recipe_lines(store):
        console.print(f"  {line}", soft_wrap=True)
    _table(console, curves(store))
    _table(console, family_table(store))
    for line in [*outcome_lines(store), *finding_lines(store), *event_lines(store), *example_lines(store)]:
        console.print(line, soft_wrap=True)
    try:
        found = figures(store)
    except DataError as error:
        console.print(str(error), soft_wrap=True)
    else:
        _table(console, arms_table(found.arms if found else {}))
    console.print(ways_on(store), soft_wrap=True)


def curves(store: RunStore) -> Table:
    """A sparkline per metric."""
    table = Table(box=None, pad_edge=False)
    for column, justify in (("curve", "left"), ("first", "right"), ("last", "right"), ("over the steps", "left")):
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name in CURVES:
        values = [value for _, value in store.journal.curve(name)]
        if values:
            table.add_row(name, f"{values[0]:.4g}", f"{values[-1]:.4g}", spark(values))
    return table


def family_table(store: RunStore) -> Table:
    """Reward terms of the last step, by task family."""
    found = families(store)
    table = Table(box=None, pad_edge=False)
    for column in ("term, last step", *found.kinds):
        table.add_column(column)
    for term, values in found.terms.items():
        table.add_row(term, *("-" if value is None else f"{value:.4g}" for value in values))
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


def _table(console: Console, table: Table) -> None:
    if table.row_count:
        console.print()
        console.print(table)
        console.print()
