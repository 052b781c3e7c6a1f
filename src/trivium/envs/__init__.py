"""Environments: what is asked, and how it is judged.

    Source, Open      source.py      a named list of tasks, and how an environment is opened for one
    ToolEnvironment   functions.py   an environment of one's own typed functions
    Plain             plain.py       what an environment is that holds nothing open
    echo              echo.py        copy drills, in words.py's words that do not exist
    search            search/        search over a corpus; it has a door of its own

Always true: an environment is opened for one episode, used once and closed.
"""

from .echo import echo, echo_tasks
from .functions import FUNCTIONS, ToolEnvironment
from .plain import Plain
from .source import Open, Source, joined

__all__ = ["FUNCTIONS", "Open", "Plain", "Source", "ToolEnvironment", "echo", "echo_tasks", "joined"]
