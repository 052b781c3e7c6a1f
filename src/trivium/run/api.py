"""Training from a script: one's own environment, task list and reward.

    report = train(lambda task: ToolEnvironment(task, tools=[look_up], terms={"exact": exact}), tasks, run="runs/mine")

The same as `trivium train`, over `OwnSources`.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from trivium.config import make_recipe
from trivium.episode import ConfigError, Environment, Task

from .drawing import shown
from .progress import Progress, Quiet
from .report import Report
from .sources import OwnSources
from .training import train_run


def train(
    environment: Callable[[Task], Environment],
    tasks: Sequence[Task],
    held_out: Sequence[Task] = (),
    *,
    run: str | Path,
    recipe: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    resume: bool = False,
) -> Report:
    """Train a policy on `tasks` and measure it on `held_out` before and after.

    `environment` opens one task; `recipe` holds the keys of a recipe that differ from their defaults; `run` is the
    folder that keeps everything. Progress is drawn on standard error where that is a terminal; a `progress` of your
    own (`run.Quiet` for none) is told instead. Raises ConfigError for a recipe or task that cannot work.
    """
    for task in (*tasks, *held_out):
        _require_kept(task)
    data = {section: dict(keys) if isinstance(keys, Mapping) else keys for section, keys in (recipe or {}).items()}
    sources = OwnSources(environment, list(tasks), list(held_out))
    with nullcontext(progress) if progress is not None else _drawn() as told:
        return train_run(make_recipe(data), Path(run), told, resume=resume, sources=sources)


def _drawn() -> AbstractContextManager[Progress]:
    return shown() if sys.stderr.isatty() else nullcontext(Quiet())


def _require_kept(task: Task) -> None:
    """Refuse what the store could not keep. Raises ConfigError."""
    if not isinstance(task, Task):
        raise ConfigError(f"the tasks hold {task!r:.80}, which is no tv.Task; give tv.Task(id=..., prompt=...)")
    try:
        msgspec.msgpack.encode(task)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ConfigError(
            f"task {task.id!a} cannot be kept ({error}); a task holds text in UTF-8, and its data what JSON holds"
        ) from error
