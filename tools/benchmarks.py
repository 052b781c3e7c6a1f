"""Turns what benchmarks print into a record.

python tools/benchmarks.py FILE LINES.json ... --title ... --claim ... --command ... [--bar KEY=TEXT ...] [--note ...]

LINES.json holds JSON objects, one a line, as benchmarks/*.py print them; each number becomes a figure, named by the
line's case and its key. `--bar` states the bar of a key.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trivium.run.report import commit, machine

ROOT = Path(__file__).parents[1]
UNSHOWN = {"rounds", "load"}


def figures(line: dict[str, Any], bars: dict[str, str]) -> Iterator[dict[str, Any]]:
    """One figure for each number of a line."""
    case = line.get("case") or line.get("shape") or line["benchmark"]
    for key, value in line.items():
        if isinstance(value, int | float) and key not in UNSHOWN:
            figure: dict[str, Any] = {"name": f"{case}: {key}", "value": value}
            if "rounds" in line:
                figure["n"] = line["rounds"]
            bar = bars.get(f"{case}: {key}", bars.get(key))
            yield figure | ({"bar": bar} if bar else {})


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="in docs/records")
    parser.add_argument("lines", nargs="+", type=Path)
    for name in ("title", "claim", "command"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--bar", action="append", default=[], metavar="KEY=TEXT")
    parser.add_argument("--note", default="")
    asked = parser.parse_args()
    bars = dict(bar.split("=", 1) for bar in asked.bar)
    lines = [json.loads(text) for path in asked.lines for text in path.read_text().splitlines()]
    record = {
        "title": asked.title,
        "claim": asked.claim,
        "command": asked.command,
        "commit": commit(),
        "seed": 0,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "figures": [figure for line in lines for figure in figures(line, bars)],
        "note": asked.note,
    }
    (ROOT / "docs" / "records" / asked.file).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
