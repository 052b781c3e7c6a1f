"""Turns finished runs into records.

python tools/record.py control NAME RUN          a control for recipes/demo.records.json
python tools/record.py run FILE RUN --title ... --claim ... [--note ...] [--against RUN ...]
                                                 a record for docs/records, with differences paired by task
python tools/record.py eval FILE --measured NAME=JSON ... --title ... --claim ...
                                                 the means (and best of k) that `trivium eval --json` wrote
python tools/record.py ablation FILE --with RUN ... --without RUN ... --title ... --claim ...
                                                 arms of several seeds: every seed, and the difference of the arms
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from trivium.bench import Interval, bootstrap_paired
from trivium.run import Report, compared, read_report

ROOT = Path(__file__).parents[1]
SHOWN = ("reward", "r_fa", "recall", "precision", "f1", "r_traj", "crossed_and_pruned", "prune_accuracy", "prune_gain",
         "gold_kept", "searches", "one_search", "malformed_calls")  # fmt: skip

ABLATED = ("reward", "recall", "r_traj", "searches", "one_search")


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
    for name, table in own_differences(report).items():
        figures += [figure(f"{name}: {metric}", value) for metric, value in table.items()]
    for other in arguments.against:
        figures += against(report, read_report(Path(other) / "report.json"), Path(other).name)
    write(arguments, report, f"{report.seed}", f"{report.wall_seconds:.0f} s", figures)


def ablation(arguments: argparse.Namespace) -> None:
    """Write a record of two arms of several seeds, compared in pairs of (seed, task)."""
    arms = {
        name: [read_report(Path(path) / "report.json") for path in paths]
        for name, paths in (("with", arguments.kept), ("without", arguments.removed))
    }
    figures = [
        figure(f"{name}, seed {report.seed}: {metric}", report.arms["after"][metric])
        for metric in ABLATED
        for name, reports in arms.items()
        for report in reports
    ]
    figures += [
        figure(f"with - without: {metric}", pooled(arms["without"], arms["with"], metric)) for metric in ABLATED
    ]
    first = arms["without"][0]
    seeds = ", ".join(str(report.seed) for report in arms["with"])
    write(arguments, first, seeds, f"{first.wall_seconds:.0f} s an arm", figures)


def evaluated(arguments: argparse.Namespace) -> None:
    """Write a record of evaluations, from what `trivium eval --json` wrote."""
    figures: list[dict[str, Any]] = []
    files = {name: Path(path) for name, _, path in (item.rpartition("=") for item in arguments.measured)}
    contents = {name: json.loads(path.read_text()) for name, path in files.items()}
    if len({(found["commit"], found["machine"]) for found in contents.values()}) > 1:
        sys.exit("the files are of several commits or machines; measure them again on one")
    for name, found in contents.items():
        for metric in (metric for metric in SHOWN if metric in found["metrics"]):
            both = found["metrics"][metric]
            figures.append(figure(f"{name}: {metric}", msgspec.convert(both["mean"], Interval)))
            if found["k"] > 1 and both["best"] is not None:
                best = msgspec.convert(both["best"], Interval)
                figures.append(figure(f"{name}: {metric}, best of {found['k']}", best))
    origin = SimpleNamespace(**{"time": max(path.stat().st_mtime for path in files.values())} | found)
    write(arguments, origin, str(found["recipe"].get("seed", 0)), "", figures)


def write(
    arguments: argparse.Namespace, origin: Any, seed: str, seconds: str, figures: Sequence[dict[str, Any]]
) -> None:
    """The record's file: what is claimed, and where its figures come from."""
    record = {
        "title": arguments.title,
        "claim": arguments.claim,
        "command": arguments.command or origin.command,
        "commit": origin.commit,
        "seed": seed,
        "machine": f"{origin.machine}, {seconds}".removesuffix(", "),
        "date": time.strftime("%Y-%m-%d", time.gmtime(origin.time)),
        "figures": figures,
        "note": arguments.note,
    }
    (ROOT / "docs" / "records" / arguments.file).write_text(json.dumps(record, indent=1) + "\n")


def pooled(before: Sequence[Report], after: Sequence[Report], metric: str) -> Interval:
    """Mean difference over all (seed, task) pairs, with its paired bootstrap interval."""
    for one, two in zip(before, after, strict=True):
        if one.seed != two.seed or one.measured[-1].tasks != two.measured[-1].tasks:
            sys.exit(f"seed {one.seed} and seed {two.seed} are no pair: give both arms in one order, on the same tasks")
    pairs = [
        (left, right)
        for one, two in zip(before, after, strict=True)
        for left, right in zip(one.measured[-1].values[metric], two.measured[-1].values[metric], strict=True)
        if left is not None and right is not None
    ]
    return bootstrap_paired([left for left, _ in pairs], [right for _, right in pairs])


def own_differences(report: Report) -> dict[str, dict[str, Interval]]:
    """The run's comparisons of arms that it measured itself, made again; a control recorded before it is no part."""
    arms = {arm.name: arm for arm in report.measured}
    pairs = {name: name.split(" - ", 1) for name in report.differences}
    return {
        name: compared(arms[before], arms[after])
        for name, (after, before) in pairs.items()
        if before in arms and after in arms
    }


def against(report: Report, other: Report, name: str) -> list[dict[str, Any]]:
    """The last arm of a run minus that of another, paired by task."""
    both = compared(other.measured[-1], report.measured[-1])
    return [figure(f"{report.measured[-1].name} - {name}: {metric}", value) for metric, value in both.items()]


def figure(name: str, value: Interval) -> dict[str, Any]:
    """One row."""
    return {"name": name, "value": value.mean, "low": value.low, "high": value.high, "n": value.n}


def written(commands: Any, name: str, do: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
    """A command that writes a record."""
    parser: argparse.ArgumentParser = commands.add_parser(name)
    parser.add_argument("file", help="in docs/records")
    parser.add_argument("--title", required=True)
    parser.add_argument("--claim", required=True)
    parser.add_argument("--note", default="")
    parser.add_argument("--command", default="", help="unset: the command that the run names")
    parser.set_defaults(do=do)
    return parser


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("control")
    one.add_argument("name")
    one.add_argument("run")
    one.set_defaults(do=control)
    two = written(commands, "run", run)
    two.add_argument("run")
    two.add_argument("--against", nargs="*", default=[])
    three = written(commands, "ablation", ablation)
    three.add_argument("--with", dest="kept", nargs="+", required=True)
    three.add_argument("--without", dest="removed", nargs="+", required=True)
    four = written(commands, "eval", evaluated)
    four.add_argument("--measured", nargs="+", required=True, metavar="NAME=JSON")
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
