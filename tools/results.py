"""Writes docs/results.md from the records in docs/records, and refuses a figure without one.

    python tools/results.py            writes the page
    python tools/results.py --check    fails when the page is not what the records say (CI)

A record is a JSON file: title, claim, command, commit, seed, machine, date, figures (name, value, and where known low,
high, n, bar; one task has no low and high: null), and a note for people.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
NEEDED = ("title", "claim", "command", "commit", "seed", "machine", "date", "figures")
HEAD = """# Results

Every figure on this page was measured by the command beside it and is generated from a record in `docs/records`
(`python tools/results.py`). Intervals are 95 %. Times are of the machine named; only ratios taken in one run compare.
"""


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
    return "\n".join([HEAD, *(section(record) for record in records)])


def section(record: dict[str, Any]) -> str:
    """One record: what is claimed, the figures, and how to measure them again."""
    rows = ["| figure | value | 95 % interval | n | bar |", "|---|---|---|---|---|", *map(row, record["figures"])]
    origin = f"Commit `{record['commit']}`, seed {record['seed']}, {record['machine']}, {record['date']}."
    parts = [f"## {record['title']}", "", record["claim"], "", *rows, "", f"    {record['command']}", "", origin]
    return "\n".join(parts + (["", record["note"]] if record.get("note") else []) + [""])


def row(figure: dict[str, Any]) -> str:
    """One line of the table."""
    known = figure.get("low") is not None and figure.get("high") is not None
    bounds = f"{number(figure['low'])} .. {number(figure['high'])}" if known else ""
    cells = (figure["name"], number(figure["value"]), bounds, figure.get("n", ""), figure.get("bar", ""))
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


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
