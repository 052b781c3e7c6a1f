"""Trivium trains LLM agents with reinforcement learning inside the harness in which they will work.

    import trivium as tv

    tv.Task, tv.Episode, tv.tool      nouns                 tv.ToolEnvironment   an environment of plain functions
    tv.refusal, tv.ToolError          a tool's no to an agent, and a failure of its own
    tv.train(environment, tasks)      train from a script   `trivium --help`     the same from recipes

The rooms are packages of their own (`trivium.episode`, `trivium.harness`, ...); a name here is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.envs import ToolEnvironment
    from trivium.episode import Episode, Task, ToolError
    from trivium.harness import refusal, tool
    from trivium.run import train

__version__ = "0.1.0"
__all__ = ["Episode", "Task", "ToolEnvironment", "ToolError", "__version__", "refusal", "tool", "train"]

_HOMES = {
    "Episode": "trivium.episode",
    "Task": "trivium.episode",
    "ToolEnvironment": "trivium.envs",
    "ToolError": "trivium.episode",
    "refusal": "trivium.harness",
    "tool": "trivium.harness",
    "train": "trivium.run",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'trivium' has no attribute {name!r}; it has {', '.join(sorted(__all__))}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
