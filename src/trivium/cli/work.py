"""The long commands: run, then show the report. Imports torch."""

from collections.abc import Callable
from pathlib import Path

from trivium.bench import Interval
from trivium.config import Recipe, changed_keys, load_recipe
from trivium.episode import ConfigError
from trivium.run import Report, agree, demo_run, make_tasks, recorded, sft_run, shown, train_run, write_sheet

from .console import out
from .folders import ready_made
from .quiet import hush
from .tables import arms_table, difference_table, recorded_lines


def trained(recipe: Recipe, folder: Path, *, resume: bool) -> None:
    """`trivium train`."""
    _run(train_run, recipe, folder, resume)


def taught(recipe: Recipe, folder: Path, *, resume: bool) -> None:
    """`trivium sft`."""
    _run(sft_run, recipe, folder, resume)


def demonstrated(recipe: Recipe, folder: Path) -> None:
    """`trivium demo`. Raises ConfigError when the time was too short for one step: then nothing was shown."""
    hush()
    controls = recorded(ready_made("demo.toml").with_name("demo.records.json"))
    changed = _changed(recipe)
    with shown() as progress:
        for line in (f"run: {folder}", *changed):
            progress.note(line)
        report = demo_run(recipe, folder, progress, controls, changed)
    if not report.steps:
        raise ConfigError(f"no step was trained in {recipe.schedule.minutes} minutes; give the demo more --minutes")
    console = out()
    console.print(arms_table(report.arms, {name: control.arm for name, control in controls.items()}))
    console.print(difference_table(report.differences))
    for line in [*changed, *recorded_lines(controls)]:
        console.print(line, soft_wrap=True)
    console.print(folder / "report.json", soft_wrap=True)


def _changed(recipe: Recipe) -> list[str]:
    """That this is another demo than the one whose controls are recorded, where it is."""
    whole = load_recipe(ready_made("demo.toml")).model_dump(mode="json", exclude_none=True)
    keys = ", ".join(changed_keys(recipe.model_dump(mode="json", exclude_none=True), whole))
    return [f"not the demo as it comes: {keys}; the recorded controls are of the whole demo"] if keys else []


def made(recipe: Recipe, folder: Path, *, count: int, distractors: int) -> None:
    """`trivium tasks`."""
    hush()
    with shown() as progress:
        report = make_tasks(recipe, folder, count, distractors, progress)
    for line in [*report.lines(), str(folder)]:
        out().print(line, soft_wrap=True)


def sheet_written(folder: Path, sheet: Path, items: int, seed: int) -> list[str]:
    """`trivium label` with a new sheet."""
    written = write_sheet(folder, sheet, items, seed)
    return [f"{written} tasks; write yes or no under `good`, then run this command again", str(sheet)]


def labelled(folder: Path, sheet: Path, seed: int) -> list[str]:
    """`trivium label` with a filled sheet."""
    found = agree(folder, sheet, seed)
    lines = [f"people agree with the verifier on {_told(found.agreement.share)} of {found.labelled} tasks"]
    kappa = found.agreement.kappa
    told = _told(kappa) if kappa else "none: one of the two always says the same"
    return [*lines, f"Cohen's kappa {told}", *([f"{found.blank} rows have no label"] if found.blank else [])]


def _told(value: Interval) -> str:
    return f"{value.mean:.3f} ({value.low:.3f} .. {value.high:.3f})"


def _run(work: Callable[..., Report], recipe: Recipe, folder: Path, resume: bool) -> None:
    hush()
    with shown() as progress:
        progress.note(f"run: {folder}")
        report = work(recipe, folder, progress, resume=resume)
    console = out()
    if report.arms:
        console.print(arms_table(report.arms))
    for found in report.findings:
        console.print(f"finding at {found.where}: {found.text}", soft_wrap=True)
    for arm in report.measured:
        if arm.missing:
            console.print(f"{arm.name}: {arm.missing} tasks have no valid episode and are left out")
    if not report.steps:
        console.print("no step was trained: the recipe's steps or minutes left no room for one")
    if report.differences:
        console.print(difference_table(report.differences))
    console.print(folder / "report.json", soft_wrap=True)
