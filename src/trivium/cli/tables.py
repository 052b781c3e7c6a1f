"""Arms and their differences, with intervals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trivium.bench import ARMS, Interval, arm_title

from .grid import Figures, Grid

if TYPE_CHECKING:
    from trivium.run import Recorded


def arms_table(arms: Mapping[str, Figures], recorded: Mapping[str, Figures] | None = None) -> Grid:
    """A row per arm: what was measured now, and behind the start what was recorded before."""
    rows = {arm_title(name): figures for name, figures in _ordered(arms).items()}
    controls = {f"{name} (recorded)": figures for name, figures in (recorded or {}).items()}
    first = {label: figures for label, figures in rows.items() if label == ARMS["start"]}
    return Grid("policy", {**first, **controls, **rows}, cell, "mean over tasks, with its 95 % interval")


def difference_table(differences: Mapping[str, Figures]) -> Grid:
    """A row per comparison: paired by task where its name says nothing else."""
    rows = {arm_title(name): figures for name, figures in differences.items() if figures}
    return Grid(
        "difference",
        rows,
        _signed,
        "paired by task where its name says nothing else, with its 95 % interval; one that holds 0 shows nothing",
    )


def cell(interval: Interval | None) -> str:
    """A mean over its interval, on two lines; n/a: one task has no interval."""
    return "-" if interval is None else f"{interval.mean:.3f}\n{_ends(interval, '.2f')}"


def recorded_lines(controls: Mapping[str, "Recorded"]) -> list[str]:
    """Where each recorded control comes from and how long it took, or that there is none."""
    if not controls:
        return ["controls: not recorded with this version (as many minutes of SFT, and RL with shuffled rewards)"]
    return [
        f"{name} (recorded): {item.command}, {item.wall_seconds:.0f} s at {item.commit}, {item.machine}"
        for name, item in controls.items()
    ]


def _ordered(arms: Mapping[str, Figures]) -> dict[str, Figures]:
    known = {name: arms[name] for name in ARMS if name in arms}
    return known | {name: figures for name, figures in arms.items() if name not in known}


def _signed(value: Interval | None) -> str:
    return "-" if value is None else f"{value.mean:+.3f}\n{_ends(value, '+.3f')}"


def _ends(interval: Interval, form: str) -> str:
    if interval.low is None or interval.high is None:
        return "n/a"
    return f"{interval.low:{form}}…{interval.high:{form}}"
