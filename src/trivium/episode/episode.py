"""Episodes: a task, the tree of everything read and written, the agents, their state and the outcome.

Always true: everything that the loop needs to go on lives here (contexts, counters, environment state, seed), so that
``step(episode) -> episode`` can be paused, stored, moved and resumed at any turn.
"""

from enum import StrEnum

import msgspec

from .context import Context
from .message import Json
from .node import NodeId
from .outcome import Outcome, Reward
from .task import Task
from .tree import Tree


class Life(StrEnum):
    """Where an episode is on its way; it only ever moves down this list, but for paused and running."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    ENDED = "ended"
    """The loop has ended; the rubric has not scored it yet."""
    SCORED = "scored"
    """The outcome stands."""
    TRAINED = "trained"
    """A member of a committed batch, whose optimiser step is in a checkpoint."""


class Agent(msgspec.Struct, kw_only=True):
    """One conversation of an episode: the tip of its context, and its counters."""

    name: str = "main"
    role: str = "main"
    tip: NodeId | None = None
    turns: int = 0
    state: dict[str, Json] = {}
    """Of the harness and its strategies: plain JSON."""


class Episode(msgspec.Struct, kw_only=True):
    """One attempt at a task (= rollout = trajectory = sample). `group` names the attempts that are compared."""

    id: str
    task: Task
    group: str
    seed: int
    tree: Tree = msgspec.field(default_factory=Tree)
    agents: dict[str, Agent] = msgspec.field(default_factory=lambda: {"main": Agent()})
    life: Life = Life.QUEUED
    state: dict[str, Json] = {}
    """Of the environment: plain JSON."""
    counters: dict[str, int] = {}
    """Named counts of what happened (calls per tool, malformed calls, refusals, ...)."""
    rewards: list[Reward] = []
    outcome: Outcome | None = None
    answer: str = ""
    """The text of the main agent's last message without a tool call."""

    @property
    def main(self) -> Agent:
        """The agent that was given the task."""
        return self.agents["main"]

    def context(self, agent: Agent) -> Context:
        """What `agent` reads now."""
        return Context(self.tree, agent.tip)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a named counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    @property
    def broken_calls(self) -> int:
        """Calls that the agent got wrong: unreadable, to an unknown tool, or with arguments that do not fit."""
        return sum(self.counters.get(name, 0) for name in ("malformed_calls", "unknown_calls", "wrong_calls"))

    def terms(self) -> dict[str, float]:
        """The latest value of every reward term."""
        return {reward.term: reward.value for reward in self.rewards}
