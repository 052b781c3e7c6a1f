"""`report.json`: every metric of every arm with its interval, what was compared, and how it came about."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from trivium import __version__
from trivium.bench import Interval
from trivium.config import Recipe
from trivium.episode import DataError
from trivium.watch import Finding

from .evaluate import Arm, difference

COMPARED = ("reward", "r_fa", "recall", "f1", "r_traj")


class Report(msgspec.Struct, kw_only=True):
    """The result of a run, for people's tables and for scripts."""

    name: str
    seed: int
    arms: dict[str, dict[str, Interval]] = {}
    differences: dict[str, dict[str, Interval]] = {}
    """``after - before`` -> metric -> interval, paired by task."""
    measured: list[Arm] = []
    """Every arm task by task, so that other runs on the same tasks can be compared with it in pairs."""
    steps: int = 0
    notes: list[str] = []
    findings: list[Finding] = []
    """What the detectors found while it trained."""
    wall_seconds: float = 0.0
    command: str = ""
    commit: str = ""
    version: str = __version__
    machine: str = ""
    time: float = 0.0

    def text(self) -> str:
        """The file's content."""
        return json.dumps(msgspec.to_builtins(self), indent=1, allow_nan=False) + "\n"


def make_report(
    recipe: Recipe,
    arms: Sequence[Arm],
    pairs: Sequence[tuple[str, str]],
    steps: int,
    notes: Sequence[str],
    started: float,
    findings: Sequence[Finding] = (),
) -> Report:
    """Fold arms into a report; `pairs` names (before, after) arms to compare; `started` is a `time.monotonic()`."""
    by_name = {arm.name: arm for arm in arms}
    missing = [f"{arm.name}: {arm.missing} tasks have no valid episode" for arm in arms if arm.missing]
    return Report(
        name=recipe.name,
        seed=recipe.seed,
        arms={arm.name: arm.table() for arm in arms},
        differences={
            f"{after} - {before}": compared(by_name[before], by_name[after])
            for before, after in pairs
            if before in by_name and after in by_name
        },
        measured=list(arms),
        steps=steps,
        notes=[*notes, *missing],
        findings=list(findings),
        wall_seconds=round(time.monotonic() - started, 1),
        time=time.time(),
        **origin(),
    )


def compared(before: Arm, after: Arm) -> dict[str, Interval]:
    """after - before for the metrics that are compared, in pairs where both met the same tasks."""
    both = {metric: difference(before, after, metric) for metric in COMPARED}
    return {metric: found for metric, found in both.items() if found is not None}


def origin() -> dict[str, str]:
    """Where figures come from: the command, the commit and the machine."""
    return {"command": " ".join(["trivium", *sys.argv[1:]]), "commit": commit(), "machine": machine()}


def commit() -> str:
    """The commit of the source tree that runs, with a mark when it was changed; empty outside a checkout."""
    here = Path(__file__).parent
    try:
        ask = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(ask, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def machine() -> str:
    """Processor count, architecture and Python, for the record."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def read_report(path: Path) -> Report:
    """A report again. Raises DataError when the file is none."""
    try:
        return msgspec.convert(json.loads(path.read_text()), Report)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not a report ({error}); give the report.json of a finished run") from error
