"""What `trivium eval` does. Imports torch."""

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from trivium.config import Recipe
from trivium.episode import ConfigError
from trivium.run import (
    Arm,
    Fusion,
    Report,
    Setup,
    fusion,
    make_renderer,
    make_report,
    open_run,
    open_world,
    policy_folder,
    shown,
)
from trivium.store import RunStore

from .best_of import Figure, figures, figures_table, fusion_table
from .console import out
from .quiet import hush


class Traffic(Protocol):
    """What went to a server."""

    def line(self) -> str:
        """For people."""
        ...


@runtime_checkable
class Counted(Protocol):
    """An engine that asks a server."""

    @property
    def traffic(self) -> Traffic:
        """Its requests, counted."""
        ...


def measure(recipe: Recipe, *, k: int, fuse: int, keep: Path | None, json_file: Path | None) -> None:
    """Evaluate, show the table, and write it as JSON where that is asked for."""
    _require_fresh(keep)
    if json_file is not None:
        _require_room(json_file)
    hush()
    with shown() as progress:
        home = policy_folder(recipe.policy.model)
        sources = open_world(recipe, make_renderer(recipe.policy, home), home, progress, trains=False)
        setup = Setup.open(recipe, progress, sources)
        with _store(recipe, keep) as store:
            arm = asyncio.run(_lived(setup, store, max(k, fuse)))
            found = figures(store, k)
            together, short = _fusion(setup, store, fuse)
            report = make_report(recipe, [arm], [], 0, setup.sources.notes, setup.started)
            store.write_report(report.text())
    console = out()
    console.print(f"{_name(setup)} on {len(arm.tasks)} tasks of {corpus_name(recipe)}", soft_wrap=True)
    console.print(figures_table(found, k))
    if fuse > 1:
        console.print(fusion_table(together, fuse))
        console.print(f"{short} tasks have fewer than {fuse} valid episodes and are not fused")
    if arm.missing:
        console.print(f"{arm.missing} tasks have no valid episode and are left out")
    if (told := _requests(setup)) is not None:
        console.print(told, soft_wrap=True)
    if json_file is not None:
        record = _record(setup, k, found, report) | ({"fuse": fuse, "fused": together} if fuse > 1 else {})
        _write(json_file, json.dumps(msgspec.to_builtins(record), indent=1, allow_nan=False) + "\n")
        console.print(json_file, soft_wrap=True)
    elif keep is not None:
        console.print(keep / "report.json", soft_wrap=True)


async def _lived(setup: Setup, store: RunStore, samples: int) -> Arm:
    """The held-out tasks, lived; the engine ends in the loop in which it ran."""
    try:
        arm = await setup.evaluate("eval", store, samples)
    finally:
        await setup.opened.engine.close()
    if arm is None:
        raise ConfigError("there are no held-out tasks to measure on; raise eval.tasks or environment.tasks.held_out")
    return arm


def _fusion(setup: Setup, store: RunStore, count: int) -> tuple[dict[str, Fusion], int]:
    source = setup.sources.held_out()
    return fusion(source, store.episodes.find(), count) if count > 1 and source is not None else ({}, 0)


def _name(setup: Setup) -> str:
    """The policy, as people name it: a server's model by the id of its weights."""
    remote = setup.recipe.policy.remote
    return f"{setup.opened.engine.weights.id} at {remote.url}" if remote else setup.recipe.policy.model


def corpus_name(recipe: Recipe) -> str:
    """What the tasks are over, as people name it."""
    corpus = recipe.environment.corpus
    return "Python's documentation" if corpus.path is None else str(corpus.path)


def _requests(setup: Setup) -> str | None:
    """What a server was asked, and how often again."""
    return setup.opened.engine.traffic.line() if isinstance(setup.opened.engine, Counted) else None


def _require_fresh(keep: Path | None) -> None:
    """Refuse, before any work, a folder that holds a run. Raises ConfigError."""
    if keep is not None and (keep / "run.db").exists():
        raise ConfigError(f"{keep} holds a run already; choose another --run")


def _require_room(file: Path) -> None:
    """Refuse, before any work, a file that cannot be made. Raises ConfigError."""
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ConfigError(f"--json {file} cannot be written; name a file in a folder that exists and can be written")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise ConfigError(f"--json {file} was not written ({error.strerror}); name another file") from error


@contextmanager
def _store(recipe: Recipe, keep: Path | None) -> Iterator[RunStore]:
    """The run in which episodes are kept: the user's, or one that goes away."""
    if keep is not None:
        home = policy_folder(recipe.policy.model)
        with open_run(keep, recipe, home, resume=False, command="eval") as store:
            yield store
        return
    with tempfile.TemporaryDirectory(prefix="trivium-eval-") as folder, RunStore(folder) as store:
        yield store


def _record(setup: Setup, k: int, found: dict[str, Figure], report: Report) -> dict[str, object]:
    told = ("seed", "eval_seed", "wall_seconds", "command", "commit", "version", "machine", "time")
    return {
        "policy": _name(setup),
        "recipe": setup.recipe.model_dump(mode="json", exclude_none=True),
        "tasks": len(report.measured[0].tasks),
        "k": k,
        "metrics": found,
        **{name: getattr(report, name) for name in told},
    }
