"""The demo: the whole road in one command, with its yardsticks.

Measured live: start, after RL, the scripted ceiling and BM25 with one query. The two controls (the same time spent
on SFT; the same RL with rewards shuffled inside groups) take as long as the demo itself, so they are recorded
figures, kept with the command that made each.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from trivium.bench import Interval
from trivium.config import Recipe

from .evaluate import Arm
from .findings import findings
from .folder import open_run
from .progress import Progress
from .remote import require_trainable
from .report import Report, compared, make_report
from .setup import Setup
from .tracking import tracked
from .training import measured_start, train_steps
from .yardsticks import bm25_once, ceiling


class Recorded(msgspec.Struct, frozen=True):
    """A control that was run before: its arm, the command, and the commit and machine it ran on."""

    measured: Arm
    command: str
    commit: str
    machine: str
    wall_seconds: float

    @property
    def arm(self) -> dict[str, Interval]:
        """Its figures with their intervals."""
        return self.measured.table()


def demo_run(
    recipe: Recipe,
    folder: Path,
    progress: Progress,
    controls: Mapping[str, Recorded] | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """`trivium demo`: yardsticks, start, training, after; writes and returns the report, with `notes` in it."""
    require_trainable(recipe)
    return asyncio.run(_demo_run(recipe, folder, progress, controls or {}, notes))


async def _demo_run(
    recipe: Recipe, folder: Path, progress: Progress, controls: Mapping[str, Recorded], notes: Sequence[str]
) -> Report:
    setup = Setup.open(recipe, progress)
    with open_run(folder, recipe, setup.opened.folder, resume=False) as store, tracked(setup, store) as setup:
        arms = [*await _yardsticks(setup), await measured_start(setup, store)]
        steps = await train_steps(setup, store)
        arms.append(await setup.evaluate("after", store))
        known = [arm for arm in arms if arm is not None]
        pairs = [("start", "after"), ("bm25", "after")]
        told = [*notes, *setup.sources.notes]
        report = make_report(recipe, known, pairs, steps, told, setup.started, findings(store))
        for name, control in controls.items():
            same = control.measured.tasks == known[-1].tasks
            label = f"after - {name}" if same else f"after - {name} (other tasks, not paired)"
            report.differences[label] = compared(control.measured, known[-1])
        store.write_report(report.text())
    return report


async def _yardsticks(setup: Setup) -> list[Arm]:
    source = setup.sources.held_out()
    if source is None:
        return []
    setup.progress.stage("yardsticks", len(source.tasks))
    best = await ceiling(source, setup.opened, prunes=setup.recipe.editing.prune, tick=setup.progress.tick)
    return [bm25_once(source, setup.recipe), best]


def recorded(path: Path) -> Mapping[str, Recorded]:
    """The recorded controls beside a recipe; empty when none was recorded."""
    if not path.is_file():
        return {}
    return msgspec.convert(json.loads(path.read_text()), dict[str, Recorded])
