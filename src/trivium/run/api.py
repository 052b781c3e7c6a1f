"""Training from a script: one's own environment, task list and reward.

report = train(lambda task: ToolEnvironment(task, tools=[look_up], terms={"exact": exact}), tasks)
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trivium.config import make_recipe
from trivium.episode import Environment, Task

from .progress import Progress, Quiet
from .report import Report
from .session import train_run
from .sources import OwnSources


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
    folder that keeps everything. Raises ConfigError for a recipe or task that cannot work.
    """
    data = {section: dict(keys) if isinstance(keys, Mapping) else keys for section, keys in (recipe or {}).items()}
    sources = OwnSources(environment, list(tasks), list(held_out))
    return train_run(make_recipe(data), Path(run), progress or Quiet(), resume=resume, sources=sources)
