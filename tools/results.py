"""Writes docs/results.md from the records in docs/records, and refuses a figure without one.

    python tools/results.py            writes the page
    python tools/results.py --check    fails when the page is not what the records say (CI)

A record is a JSON file: title, claim, command, commit, seed, machine, date, figures (name, value, and where known low,
high, n, bar; one task has no low and high: null), and a note for people. A figure named `arm: metric` of a metric that
`trivium.bench` has a title for stands in a table of arms; any other is a line of its own.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from trivium.bench import ARMS, METRICS, TITLES, arm_title, metric_title

DOCS = Path(__file__).parents[1] / "docs"
NEEDED = ("title", "claim", "command", "commit", "seed", "machine", "date", "figures")
FIRST = tuple(name for name in METRICS if name != "prune_accuracy")
"""What an arm is worth; all other metrics tell how it works."""
HEAD = """# Results

Every figure on this page was measured by the command beside it and is generated from a record in `docs/records`
(`python tools/results.py`). A figure is a mean over tasks, with its 95 % interval (bootstrap over tasks); a difference
is paired by task, and one whose interval holds 0 shows nothing. A bar is what the project
asks of a figure. Times are of the machine named; only ratios taken in one run compare. Intervals are over tasks and not
over seeds: where one seed was trained, another may come out beside them. What each metric means is at the end.
"""


class Measured(NamedTuple):
    """A figure of an arm, or of a comparison of two."""

    arm: str
    metric: str
    figure: dict[str, Any]


def load() -> list[dict[str, Any]]:
    """All records, in the order of their file names. Raises SystemExit naming a record that lacks a field."""
    records = []
    for path in sorted((DOCS / "records").glob("*.json")):
        record = json.loads(path.read_text())
        missing = [name for name in NEEDED if name not in record]
        if missing:
            raise SystemExit(f"{path.name} lacks {', '.join(missing)}: a figure without its origin is refused")
        records.append(record)
    return records


def page(records: list[dict[str, Any]]) -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(record) for record in records), glossary(records)])


def section(record: dict[str, Any]) -> str:
    """One record: what is claimed, the figures, and how to measure them again."""
    origin = f"Commit `{record['commit']}`, seed {record['seed']}, {record['machine']}, {record['date']}."
    parts = [f"## {record['title']}", "", record["claim"], "", *tables(record["figures"])]
    parts += [f"    {record['command']}", "", origin]
    return "\n".join(parts + (["", record["note"]] if record.get("note") else []) + [""])


def glossary(records: list[dict[str, Any]]) -> str:
    """What each metric on the page means."""
    used = {one.metric for record in records for one in measured(record["figures"])}
    rows = [f"| {title} | {meaning} |" for name, (title, meaning) in TITLES.items() if name in used]
    return "\n".join(["## What the metrics mean", "", "| metric | meaning |", "|---|---|", *rows, ""])


def tables(figures: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the arms are worth, how they differ, how they work; then every other figure."""
    known = measured(figures)
    arms, differences = (
        [one for one in known if is_difference(one.arm) is of_two and one.metric in FIRST] for of_two in (False, True)
    )
    yield from table("policy", arms)
    yield from table("difference", differences)
    yield from table("how it works", [one for one in known if one.metric not in FIRST])
    others = [figure for figure in figures if all(figure is not one.figure for one in known)]
    if others:
        yield from ("| figure | value | 95 % interval | n | bar |", "|---|---|---|---|---|", *map(row, others), "")


def measured(figures: Sequence[dict[str, Any]]) -> list[Measured]:
    """The figures of arms, without those that have a bar: it needs a column of its own."""
    split = [(figure, *figure["name"].rpartition(": ")[::2]) for figure in figures if not figure.get("bar")]
    return [Measured(arm, metric, figure) for figure, arm, metric in split if arm and metric in TITLES]


def is_difference(arm: str) -> bool:
    """True for a comparison of two arms."""
    return " - " in arm


def table(head: str, cells: Sequence[Measured]) -> Iterator[str]:
    """A row per arm, a column per metric; nothing for no cells."""
    if not cells:
        return
    metrics = [name for name in TITLES if any(one.metric == name for one in cells)]
    order = list(ARMS)
    arms = sorted(
        dict.fromkeys(one.arm for one in cells), key=lambda arm: order.index(arm) if arm in order else len(order)
    )
    usual = Counter(one.figure.get("n") for one in cells).most_common(1)[0][0]
    found = {(one.arm, one.metric): cell(one.figure, usual) for one in cells}
    yield line([f"{head} (n = {usual})", *map(metric_title, metrics)])
    yield "|---" * (len(metrics) + 1) + "|"
    for arm in arms:
        yield line([arm_title(arm), *(found.get((arm, metric), "-") for metric in metrics)])
    yield ""


def cell(figure: dict[str, Any], usual: int | None) -> str:
    """A value with its interval, and its n where that is not the usual one."""
    told = number(figure["value"]) + (f" ({bounds(figure)})" if bounds(figure) else "")
    return told if figure.get("n") == usual else f"{told}, n = {figure.get('n')}"


def row(figure: dict[str, Any]) -> str:
    """One line of the table of other figures."""
    cells = (figure["name"], number(figure["value"]), bounds(figure), figure.get("n", ""), figure.get("bar", ""))
    return line(cells)


def line(cells: Sequence[object]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def bounds(figure: dict[str, Any]) -> str:
    """The ends of the interval; nothing where there is none."""
    known = figure.get("low") is not None and figure.get("high") is not None
    return f"{number(figure['low'])} .. {number(figure['high'])}" if known else ""


def number(value: float | str) -> str:
    """A figure with as many digits as it deserves."""
    if isinstance(value, str | int):
        return str(value)
    return f"{value:.2e}" if value and abs(value) < 1e-3 else f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when the page is stale")
    arguments = parser.parse_args()
    text = page(load())
    target = DOCS / "results.md"
    if not arguments.check:
        target.write_text(text)
    elif not target.is_file() or target.read_text() != text:
        sys.exit("docs/results.md is not what docs/records say; run python tools/results.py and commit both")


if __name__ == "__main__":
    main()
