"""Rolling out: a group's episodes run side by side; each is stored the moment it has its outcome.

Always true: an invalid episode is stored, counted and drawn again (`redraws` times at most); a group that stays short
after that is reported, never filled with zeros.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trivium.envs import Open
from trivium.episode import EngineError, Episode, Invalid, Life
from trivium.harness import Harness, run
from trivium.store import RunStore

from .plan import Slot, member


@dataclass(frozen=True)
class Roller:
    """Rolls out groups into a store."""

    store: RunStore
    harness: Harness
    seed: int
    group_size: int
    redraws: int

    async def group(
        self, slot: Slot, open_environment: Open, done: Mapping[str, Episode], tick: Callable[[], None]
    ) -> list[Episode]:
        """The valid episodes of a group; those in `done` (found again after a crash) are taken as they are."""
        numbers = range(self.group_size)
        found = await asyncio.gather(*(self._member(slot, number, open_environment, done, tick) for number in numbers))
        return [episode for episode in found if episode is not None]

    async def _member(
        self, slot: Slot, number: int, open_environment: Open, done: Mapping[str, Episode], tick: Callable[[], None]
    ) -> Episode | None:
        reason = ""
        for attempt in range(self.redraws + 1):
            episode = member(slot, number, self.seed, attempt)
            if episode.id in done:
                episode = done[episode.id]
            else:
                episode = await run(episode, open_environment(slot.task, slot.seed), self.harness)
                self.store.put(episode, step=slot.step)
            if not isinstance(episode.outcome, Invalid):
                assert episode.life is Life.SCORED
                tick()
                return episode
            reason = f"{episode.outcome.boundary}: {episode.outcome.reason}"
        self.store.add_event("redraws_spent", f"{slot.group} member {number}: {reason}")
        return None


def require(episodes: list[Episode], slot: Slot, store: RunStore) -> list[Episode]:
    """Refuse a group that infrastructure left with fewer than two episodes."""
    if len(episodes) < 2:
        told = [event.text for event in store.events("redraws_spent") if event.text.startswith(slot.group)]
        raise EngineError(
            f"group {slot.group} of task {slot.task.id} has {len(episodes)} valid episodes after all redraws "
            f"({told[-1] if told else 'no reason is known'}); mend that, and resume"
        )
    return episodes
