"""Where tasks come from: a named list, and how to open an environment for one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from trivium.episode import ConfigError, Environment, Task

Open: TypeAlias = Callable[[Task, int], Environment]
"""(task, presentation seed) -> an environment for one episode; members of a group get the same seed."""


@dataclass(frozen=True)
class Source:
    """Tasks with their door. Raises ConfigError when there are none, or when two share an id."""

    name: str
    tasks: Sequence[Task]
    open: Open

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ConfigError(f"the source {self.name} has no tasks; give it at least one")
        ids = {task.id for task in self.tasks}
        if len(ids) != len(self.tasks):
            raise ConfigError(
                f"the source {self.name} has {len(self.tasks)} tasks but {len(ids)} ids; make them unique"
            )


def joined(name: str, sources: Sequence[Source]) -> Source:
    """All tasks of several sources as one; each opens where it came from. Raises ConfigError when ids collide."""
    doors = {task.id: source.open for source in sources for task in source.tasks}
    tasks = [task for source in sources for task in source.tasks]
    return Source(name, tasks, lambda task, seed: doors[task.id](task, seed))
