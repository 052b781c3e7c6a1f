"""Rolling out: a group's episodes run side by side; each is stored the moment it has its outcome.

Always true: an invalid episode is stored, counted and drawn again (`redraws` times at most); a group that stays short
after that is left out whole, with the reason, and its valid episodes train at no step.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trivium.envs import Open
from trivium.episode import BoundaryError, ConfigError, Episode, Invalid, Life
from trivium.harness import Harness, run_episode
from trivium.store import RunStore

from .plan import PlannedGroup, new_episode
from .redraw import reason_of, redrawn


@dataclass(frozen=True)
class Roller:
    """Rolls out groups into a store. Raises ConfigError for a policy whose sampled log-probs are not those of the
    softmax that is trained."""

    store: RunStore
    harness: Harness
    seed: int
    group_size: int
    redraws: int

    def __post_init__(self) -> None:
        policy = self.harness.policy
        if policy.top_p < 1 or not policy.temperature > 0:
            raise ConfigError(
                f"policy {policy.name} samples at top_p {policy.top_p:g} and temperature {policy.temperature:g}; its "
                "log-probs are then not those of the softmax that is trained: set top_p = 1 and a temperature above 0"
            )

    async def group(
        self, planned: PlannedGroup, open_environment: Open, done: Mapping[str, Episode], tick: Callable[[], None]
    ) -> "Rolled":
        """A group; the episodes in `done` (found again after a crash) are taken as they are."""
        numbers = range(self.group_size)
        found = await asyncio.gather(
            *(self._member(planned, number, open_environment, done, tick) for number in numbers)
        )
        missing = [one for one in found if not isinstance(one, Episode)]
        return Rolled(planned, [one for one in found if isinstance(one, Episode)], missing[0] if missing else "")

    async def _member(
        self,
        planned: PlannedGroup,
        number: int,
        open_environment: Open,
        done: Mapping[str, Episode],
        tick: Callable[[], None],
    ) -> Episode | str:
        """A valid episode, or why there is none after all redraws."""

        async def live(attempt: int) -> Episode:
            episode = new_episode(planned, number, self.seed, attempt)
            if episode.id in done:
                return done[episode.id]
            episode = await run_episode(episode, open_environment(planned.task, planned.seed), self.harness)
            self.store.episodes.put(episode, step=planned.step)
            return episode

        episode = await redrawn(live, self.redraws)
        if isinstance(episode.outcome, Invalid):
            reason = reason_of(episode.outcome)
            self.store.journal.add_event("redraws_spent", f"{planned.group} member {number}: {reason}")
            return reason
        assert episode.life is Life.SCORED
        tick()
        return episode


@dataclass(frozen=True)
class Rolled:
    """A group as it came out: `missing` says why a member has no valid episode; empty when the group is whole."""

    planned: PlannedGroup
    episodes: list[Episode]
    missing: str


PERSISTENT = 4
"""A run ends when no group was whole for as many tasks as this, or for all that there are."""


class Losses:
    """Counts the groups that stay short, and ends a run whose infrastructure fails persistently.

    Always true: a task that always fails costs its groups, and never the run; a whole group forgives what was before.
    """

    def __init__(self, tasks: int) -> None:
        self._bound = min(PERSISTENT, tasks)
        self._lost: set[str] = set()

    def note(self, step: Sequence[Rolled]) -> None:
        """Take in the groups of a step. Raises BoundaryError when infrastructure fails persistently."""
        if not all(group.missing for group in step):
            self._lost.clear()
            return
        self._lost |= {group.planned.task.id for group in step}
        if len(self._lost) >= self._bound:
            last = step[-1]
            raise BoundaryError(
                f"no group of the last {len(self._lost)} tasks has all its episodes after all redraws; group "
                f"{last.planned.group} of task {last.planned.task.id} for this: {last.missing}; fix that, then go on "
                "with --resume"
            )
