"""Arms as a table, with their intervals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.table import Table

from trivium.bench import Interval
from trivium.web import ARMS, METRICS

if TYPE_CHECKING:
    from trivium.run import Recorded

Figures = Mapping[str, Interval]


def arms_table(arms: Mapping[str, Figures], recorded: Mapping[str, Figures] | None = None) -> Table:
    """A row per arm: what was measured now, and behind the start what was recorded before."""
    rows = {ARMS.get(name, name): figures for name, figures in _ordered(arms).items()}
    controls = {f"{name} (recorded)": figures for name, figures in (recorded or {}).items()}
    first = {label: figures for label, figures in rows.items() if label == ARMS["start"]}
    everything = {**first, **controls, **rows}
    shown = [metric for metric in METRICS if any(metric in figures for figures in everything.values())]
    table = Table(caption="mean over tasks, with its 95 % interval", caption_justify="left")
    table.add_column("policy", no_wrap=True)
    for metric in shown:
        table.add_column(METRICS[metric], justify="right")
    for label, figures in everything.items():
        table.add_row(label, *(cell(figures.get(metric)) for metric in shown))
    return table


def cell(interval: Interval | None) -> str:
    """A mean over its interval, on two lines; n/a: one task has no interval."""
    if interval is None:
        return "-"
    return f"{interval.mean:.3f}\n{_ends(interval, '.2f', '…')}"


def difference_lines(differences: Mapping[str, Figures]) -> list[str]:
    """One line per comparison: paired by task, with intervals."""
    return [
        f"{name}: " + ", ".join(f"{METRICS.get(metric, metric)} {_signed(value)}" for metric, value in figures.items())
        for name, figures in differences.items()
        if figures
    ]


def recorded_lines(controls: Mapping[str, "Recorded"]) -> list[str]:
    """Where each recorded control comes from, or that there is none."""
    if not controls:
        return ["controls: not recorded with this version (as many minutes of SFT, and RL with shuffled rewards)"]
    return [f"{name} (recorded): {item.command} at {item.commit}, {item.machine}" for name, item in controls.items()]


def _ordered(arms: Mapping[str, Figures]) -> dict[str, Figures]:
    known = {name: arms[name] for name in ARMS if name in arms}
    return known | {name: figures for name, figures in arms.items() if name not in known}


def _signed(value: Interval) -> str:
    return f"{value.mean:+.3f} ({_ends(value, '+.3f', ' to ')})"


def _ends(interval: Interval, form: str, between: str) -> str:
    if interval.low is None or interval.high is None:
        return "n/a"
    return f"{interval.low:{form}}{between}{interval.high:{form}}"
