"""A run as tables and lines. Reads only: a run may go on meanwhile."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from trivium.bench import Interval
from trivium.config import Recipe
from trivium.store import RunStore
from trivium.watch import Finding

from .console import out, printable
from .sparks import spark
from .tables import arms_table

CURVES = (
    "term.reward", "term.recall", "term.precision", "term.f1", "term.r_fa", "term.r_traj", "term.prune_accuracy",
    "term.searches", "term.turns", "tokens.sampled", "batch.groups constant", "learn.loss", "learn.entropy",
    "learn.grad_norm", "parity.k3",
)  # fmt: skip
EVENTS = 20
"""Events shown at most: the last ones."""


def show_run(store: RunStore) -> None:
    """Everything about a run on one page."""
    console = out()
    console.print(f"{store.folder}: {len(store.commits())} steps committed", soft_wrap=True)
    for line in recipe_lines(store):
        console.print(f"  {line}", soft_wrap=True)
    _table(console, curves(store))
    _table(console, families(store))
    for line in [*outcome_lines(store), *finding_lines(store), *event_lines(store), *example_lines(store)]:
        console.print(line, soft_wrap=True)
    if (store.folder / "report.json").is_file():
        report = json.loads((store.folder / "report.json").read_text())
        _table(console, arms_table(msgspec.convert(report["arms"], dict[str, dict[str, Interval]])))


def recipe_lines(store: RunStore) -> list[str]:
    """The keys of the recipe that differ from their defaults."""
    own = dict(_flat(tomllib.loads(store.recipe or "")))
    defaults = dict(_flat(Recipe().model_dump(mode="json", exclude_none=True)))
    return [f"{key} = {json.dumps(value)}" for key, value in own.items() if defaults.get(key) != value]


def curves(store: RunStore) -> Table:
    """A sparkline per metric."""
    table = Table(box=None, pad_edge=False)
    for column, justify in (("curve", "left"), ("first", "right"), ("last", "right"), ("over the steps", "left")):
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for name in CURVES:
        values = [value for _, value in store.curve(name)]
        if values:
            table.add_row(name, f"{values[0]:.4g}", f"{values[-1]:.4g}", spark(values))
    return table


def families(store: RunStore) -> Table:
    """Reward terms of the last step, by task family."""
    names = [name for name in store.metric_names() if name.startswith("family.")]
    split = [name.removeprefix("family.").rsplit(".", 1) for name in names]
    terms, kinds = (list(dict.fromkeys(pair[place] for pair in split)) for place in (1, 0))
    table = Table(box=None, pad_edge=False)
    for column in ("term, last step", *kinds):
        table.add_column(column)
    for term in terms:
        last = [store.curve(f"family.{kind}.{term}")[-1:] for kind in kinds]
        table.add_row(term, *(f"{point[0][1]:.4g}" if point else "-" for point in last))
    return table


def outcome_lines(store: RunStore) -> Iterator[str]:
    """Counts: outcomes, lives, and what was dropped for which reason."""
    yield f"outcomes: {_counts(store.count_outcomes())}"
    yield f"lives: {_counts({str(life): count for life, count in store.count_lives().items()})}"
    groups = sum(value for _, value in store.curve("batch.groups constant"))
    reasons = Counter(why for commit in store.commits() for why in store.dropped(commit.step).values())
    yield f"dropped: {int(groups)} groups; episodes: {_counts(reasons)}"


def finding_lines(store: RunStore) -> Iterator[str]:
    """What the detectors found, with the episodes to read."""
    for event in store.events("finding"):
        found = msgspec.convert(event.data, Finding)
        yield f"finding at {found.where}: {found.kind}: {found.text}"


def event_lines(store: RunStore) -> list[str]:
    """The last events."""
    events = store.events()
    head = f"events: {len(events)}" + (f", the last {EVENTS}:" if len(events) > EVENTS else "")
    return [head, *(f"  {event.kind}: {printable(event.text)}" for event in events[-EVENTS:])]


def example_lines(store: RunStore) -> list[str]:
    """The worst, the middle and the best episode of the last step, to read next."""
    commit = store.latest()
    found = list(store.episodes(step=commit.step, outcome="scored")) if commit else []
    if not found:
        ids = store.ids()[-3:]
        return [f"read one: trivium show {store.folder} --episode {name}" for name in ids]
    ranked = sorted(found, key=lambda episode: episode.terms().get("reward", 0.0))
    chosen = {"worst": ranked[0], "middle": ranked[len(ranked) // 2], "best": ranked[-1]}
    return [
        f"{rank} of the last step, reward {episode.terms().get('reward', 0.0):.3f}: "
        f"trivium show {store.folder} --episode {episode.id}"
        for rank, episode in chosen.items()
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _flat(data: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _table(console: Console, table: Table) -> None:
    if table.row_count:
        console.print()
        console.print(table)
        console.print()
