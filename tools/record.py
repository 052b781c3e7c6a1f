"""Turns finished runs into records.

python tools/record.py control NAME RUN          a control for recipes/demo.records.json
python tools/record.py run FILE RUN --title ... --claim ... [--note ...] [--against RUN ...]
                                                 a record for docs/records, with differences paired by task
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import msgspec

from trivium.bench import Interval
from trivium.run.report import Report, compared, read_report

ROOT = Path(__file__).parents[1]
SHOWN = ("reward", "r_fa", "recall", "precision", "f1", "r_traj", "crossed_and_pruned", "prune_accuracy", "prune_gain",
         "gold_kept", "searches", "one_search", "malformed_calls")  # fmt: skip


def control(arguments: argparse.Namespace) -> None:
    """Add a control to the demo's records."""
    path = ROOT / "recipes" / "demo.records.json"
    records = json.loads(path.read_text()) if path.is_file() else {}
    report = read_report(Path(arguments.run) / "report.json")
    kept = msgspec.to_builtins(report.measured[-1])
    records[arguments.name] = {
        "measured": kept,
        "command": report.command,
        "commit": report.commit,
        "machine": report.machine,
        "wall_seconds": report.wall_seconds,
    }
    path.write_text(json.dumps(records) + "\n")


def run(arguments: argparse.Namespace) -> None:
    """Write a record of a run's arms, and of its last arm against that of other runs."""
    report = read_report(Path(arguments.run) / "report.json")
    figures = [figure(f"{arm}: {m}", table[m]) for arm, table in report.arms.items() for m in SHOWN if m in table]
    for name, table in report.differences.items():
        figures += [figure(f"{name}: {metric}", value) for metric, value in table.items()]
    for other in arguments.against:
        figures += against(report, read_report(Path(other) / "report.json"), Path(other).name)
    record: dict[str, Any] = {
        "title": arguments.title,
        "claim": arguments.claim,
        "command": report.command,
        "commit": report.commit,
        "seed": report.seed,
        "machine": f"{report.machine}, {report.wall_seconds:.0f} s",
        "date": time.strftime("%Y-%m-%d", time.gmtime(report.time)),
        "figures": figures,
        "note": arguments.note,
    }
    (ROOT / "docs" / "records" / arguments.file).write_text(json.dumps(record, indent=1) + "\n")


def against(report: Report, other: Report, name: str) -> list[dict[str, Any]]:
    """The last arm of a run minus that of another, paired by task."""
    both = compared(other.measured[-1], report.measured[-1])
    return [figure(f"{report.measured[-1].name} - {name}: {metric}", value) for metric, value in both.items()]


def figure(name: str, value: Interval) -> dict[str, Any]:
    """One row."""
    return {"name": name, "value": value.mean, "low": value.low, "high": value.high, "n": value.n}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("control")
    one.add_argument("name")
    one.add_argument("run")
    one.set_defaults(do=control)
    two = commands.add_parser("run")
    two.add_argument("file")
    two.add_argument("run")
    two.add_argument("--title", required=True)
    two.add_argument("--claim", required=True)
    two.add_argument("--note", default="")
    two.add_argument("--against", nargs="*", default=[])
    two.set_defaults(do=run)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
