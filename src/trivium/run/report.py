"""`report.json`: every metric of every arm with its interval, what was compared, and how it came about."""

import json
import os
import platform
import shlex
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

from .evaluate import EVAL_SEED, Arm, difference

COMPARED = ("reward", "r_fa", "recall", "precision", "f1", "r_traj")


class Report(msgspec.Struct, kw_only=True):
    """The result of a run, for people's tables and for scripts."""

    name: str
    seed: int
    """Of the recipe."""
    eval_seed: int = EVAL_SEED
    """Under which every arm was measured."""
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
        command=command(),
        commit=commit(),
        machine=machine(),
    )


def compared(before: Arm, after: Arm) -> dict[str, Interval]:
    """after - before for the metrics that are compared, in pairs where both met the same tasks."""
    both = {metric: difference(before, after, metric) for metric in COMPARED}
    return {metric: found for metric, found in both.items() if found is not None}


def command() -> str:
    """What was typed: the console script by its name, anything else with the interpreter that ran it."""
    if Path(sys.argv[0]).name == "trivium":
        return shlex.join(["trivium", *sys.argv[1:]])
    return shlex.join([Path(sys.orig_argv[0]).name, *sys.orig_argv[1:]])


def commit(file: Path = Path(__file__)) -> str:
    """The commit of the source tree that runs, with a mark when it was changed.

    Empty outside a checkout: a repository around an installed `file` that does not track it is another project's.
    """
    try:
        _git(file, "ls-files", "--error-unmatch", file.name)
        return _git(file, "describe", "--always", "--dirty", "--abbrev=12")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(file: Path, *ask: str) -> str:
    asked = ["git", "-C", str(file.parent), *ask]
    return subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def machine() -> str:
    """Processor count, architecture and Python, for the record."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def read_report(path: Path) -> Report:
    """A report again. Raises DataError when the file is none."""
    try:
        return msgspec.convert(json.loads(path.read_text()), Report)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not a report ({error}); give the report.json of a finished run") from error
