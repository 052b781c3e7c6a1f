"""Turns evaluations of a policy before and after RL, on the same tasks, into a record with paired differences.

    python tools/pairs.py FILE BEFORE,AFTER [NAME=BEFORE,AFTER ...] --title ... --claim ... [--note ...] --command ...

BEFORE and AFTER are folders that `trivium eval --run` kept; NAME stands before the arms, for several data sets.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from record import SHOWN, figure, write

from trivium.run import Arm, Report, compared, read_report


def figures(name: str, before: Arm, after: Arm) -> Iterator[dict[str, Any]]:
    """Both arms, then their differences."""
    if before.tasks != after.tasks:
        sys.exit(f"{name or 'the policies'}: the two met other tasks and are no pair")
    prefix = f"{name}, " if name else ""
    for arm, measured in (("start", before), ("after", after)):
        table = measured.table()
        yield from (figure(f"{prefix}{arm}: {metric}", table[metric]) for metric in SHOWN if metric in table)
    for metric, value in compared(before, after).items():
        yield figure(f"{prefix}after - start: {metric}", value)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="in docs/records")
    parser.add_argument("pairs", nargs="+", metavar="[NAME=]BEFORE,AFTER")
    for option in ("title", "claim", "command"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    reports: list[Report] = []
    for pair in arguments.pairs:
        name, _, folders = pair.rpartition("=")
        both = [read_report(Path(folder) / "report.json") for folder in folders.split(",")]
        reports += both
        rows += figures(name, both[0].measured[-1], both[1].measured[-1])
    if len({(report.commit, report.machine) for report in reports}) > 1:
        sys.exit("the folders are of several commits or machines; measure them again on one")
    write(arguments, reports[-1], str(reports[-1].seed), "", rows)


if __name__ == "__main__":
    main()
