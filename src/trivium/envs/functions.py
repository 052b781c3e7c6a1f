"""An environment of plain functions: tools are typed functions, terms are functions of an episode.

    def exact(episode): return float(episode.task.data["answer"] in episode.answer)
    ToolEnvironment(task, tools=[look_up], terms={"exact": exact})

The reward is the sum of the terms (weight them inside), less what broken calls cost.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trivium.episode import Episode, Reward, Task, Tool
from trivium.harness import tool
from trivium.reward import Rubric, Term, malformed_penalty

from .plain import Plain

FUNCTIONS = "functions"
"""The source of rewards that are added up here."""

SYSTEM = "Answer the question. Use the tools."


class ToolEnvironment(Plain):
    """One task with functions around it. Single use."""

    def __init__(
        self,
        task: Task,
        *,
        tools: Sequence[Callable[..., Any]],
        terms: Mapping[str, Callable[[Episode], float]],
        system: str = SYSTEM,
    ) -> None:
        self.task, self.system = task, system
        self.tools: tuple[Tool, ...] = tuple(tool(function) for function in tools)
        own = [Term(name, function) for name, function in terms.items()]
        self._rubric = Rubric(*own, Term("p_malformed", _malformed, weight=-1.0), source=FUNCTIONS)

    def prompt(self) -> str:
        """The task's own words."""
        return self.task.prompt

    def score(self, episode: Episode) -> Sequence[Reward]:
        """Every term, and their sum under ``reward``. Raises JudgeError when a term cannot be computed."""
        return self._rubric(episode)


def _malformed(episode: Episode) -> float:
    return malformed_penalty(episode.broken_calls)
