"""The scheduler: one pipeline of rollouts and updates, bounded by staleness.

    may step s be rolled out?   trained >= s - STALENESS

Always true: batches are trained in step order; a step's members, metrics and checkpoint pointer are one transaction;
what was rolled out before a crash and not yet trained is found again by id, and not redone.
"""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from trivium.config import Recipe
from trivium.envs import Source
from trivium.episode import Episode
from trivium.harness import derive
from trivium.learn import Batch, Learner, StepReport, make_batch
from trivium.store import RunStore

from .checkpoint import Checkpointer, member_rows
from .metrics import learner_metrics, rollout_metrics
from .parts import BASELINES
from .plan import Plan
from .progress import Progress
from .rollout import Roller, require

STALENESS = 0
"""Steps by which rollouts run ahead of the learner: none, so every token is on-policy."""
Rolled: TypeAlias = "asyncio.Queue[asyncio.Task[list[Episode]] | None]"


@dataclass
class Scheduler:
    """Trains from `start` (committed steps) to the recipe's end, by steps or by the clock."""

    recipe: Recipe
    store: RunStore
    source: Callable[[int], Source]
    """The training source of an epoch."""
    roller: Roller
    learner: Learner
    checkpointer: Checkpointer
    progress: Progress
    start: int = 0
    _trained: int = field(init=False, default=0)
    _moved: asyncio.Condition = field(init=False, default_factory=asyncio.Condition)

    async def train(self) -> int:
        """Run to the end; returns the number of committed steps."""
        self._trained = self.start
        schedule = self.recipe.schedule
        plan = Plan(self.source(0).tasks, schedule.groups, self.recipe.seed, schedule.short_first)
        rolled: Rolled = asyncio.Queue()
        stop = time.monotonic() + 60 * (self.recipe.schedule.minutes or float("inf"))
        producer = asyncio.create_task(self._produce(plan, rolled, stop))
        try:
            while (work := await rolled.get()) is not None:
                await self._train(self._trained, await work)
            await producer
        finally:
            await _cancel(producer, rolled)
        return self._trained

    async def _produce(self, plan: Plan, rolled: Rolled, stop: float) -> None:
        """Start the rollouts of each step as soon as staleness allows; None marks the end, however it came."""
        try:
            for step in range(self.start, self.recipe.schedule.steps):
                await self._until(step - STALENESS)
                if time.monotonic() >= stop:
                    return
                rolled.put_nowait(asyncio.create_task(self._roll(plan, step)))
        finally:
            rolled.put_nowait(None)

    async def _until(self, trained: int) -> None:
        async with self._moved:
            await self._moved.wait_for(lambda: self._trained >= trained)

    async def _roll(self, plan: Plan, step: int) -> list[Episode]:
        slots = plan.step(step)
        done = {episode.id: episode for episode in self.store.pending(step)}
        self.progress.stage(f"step {step + 1}: rollouts", len(slots) * self.recipe.schedule.group_size)
        opened = {epoch: self._source(epoch).open for epoch in {slot.epoch for slot in slots}}
        groups = await asyncio.gather(
            *(self.roller.group(slot, opened[slot.epoch], done, self.progress.tick) for slot in slots)
        )
        rolled = zip(slots, groups, strict=True)
        return [episode for slot, group in rolled for episode in require(group, slot, self.store)]

    def _source(self, epoch: int) -> Source:
        """The tasks as an epoch rewards them; what follows the last planned epoch is rewarded as that one."""
        return self.source(min(epoch, self.recipe.schedule.epochs - 1))

    async def _train(self, step: int, episodes: Sequence[Episode]) -> None:
        self.progress.stage(f"step {step + 1}: update")
        started = time.monotonic()
        batch = make_batch(
            self._control(episodes, step),
            self.recipe.policy.name,
            baseline=BASELINES[self.recipe.learn.baseline],
            denominator=self.recipe.learn.denominator,
        )
        report = self.learner.step(batch) if batch.shares else None
        self.checkpointer.deliver(self.learner, step + 1)
        self._commit(step, episodes, batch, report, time.monotonic() - started)
        async with self._moved:
            self._trained = step + 1
            self._moved.notify_all()

    def _commit(
        self, step: int, episodes: Sequence[Episode], batch: Batch, report: StepReport | None, seconds: float
    ) -> None:
        metrics = {**rollout_metrics(episodes), **learner_metrics(batch, report), "seconds.update": seconds}
        members, dropped = member_rows(episodes, batch)
        self.checkpointer.commit(self.learner, step, members, dropped, metrics)
        self.progress.trained(step, metrics)

    def _control(self, episodes: Sequence[Episode], step: int) -> Sequence[Episode]:
        if not self.recipe.learn.shuffle_rewards:
            return episodes
        return shuffled(episodes, derive(self.recipe.seed, "shuffle", step))


async def _cancel(producer: "asyncio.Task[None]", rolled: Rolled) -> None:
    """End the producer and every rollout that nobody will train."""
    left = [producer]
    while not rolled.empty():
        if (work := rolled.get_nowait()) is not None:
            left.append(work)  # type: ignore[arg-type]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def shuffled(episodes: Sequence[Episode], seed: int) -> list[Episode]:
    """The control that must not learn: copies of the episodes, with outcomes permuted inside each group."""
    rng = random.Random(seed)
    groups: dict[str, list[Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode.group, []).append(episode)
    result = []
    for members in groups.values():
        outcomes = [episode.outcome for episode in members]
        rng.shuffle(outcomes)
        result += [msgspec.structs.replace(e, outcome=o) for e, o in zip(members, outcomes, strict=True)]
    return result
