"""The scheduler: one pipeline of rollouts and updates, bounded by staleness.

    may step s be rolled out?   trained >= s - STALENESS

Always true: batches are trained in step order; a step's members, metrics and checkpoint pointer are one transaction;
what was rolled out before a crash and not yet trained is found again by id, and not redone.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from trivium.config import Recipe
from trivium.envs import Source
from trivium.episode import Episode
from trivium.harness import derive
from trivium.learn import Learner, make_batch
from trivium.store import RunStore

from .checkpoint import Checkpointer, member_rows
from .metrics import learner_metrics, rollout_metrics
from .plan import Plan
from .progress import Progress
from .rollout import Losses, Rolled, Roller
from .shuffling import shuffled

STALENESS = 0
"""Steps by which rollouts run ahead of the learner: none, so every token is on-policy."""
Queue: TypeAlias = "asyncio.Queue[asyncio.Task[list[Rolled]] | None]"


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
    _rolled_in: dict[int, float] = field(init=False, default_factory=dict)
    """Step -> seconds that its rollouts took, until it is committed."""
    _moved: asyncio.Condition = field(init=False, default_factory=asyncio.Condition)

    async def train(self) -> int:
        """Run to the end; returns the number of committed steps."""
        self._trained = self.start
        schedule = self.recipe.schedule
        plan = Plan(self.source(0).tasks, schedule.groups, self.recipe.seed, schedule.short_first)
        losses = Losses(len(plan.tasks))
        rolled: Queue = asyncio.Queue()
        stop = time.monotonic() + 60 * (self.recipe.schedule.minutes or float("inf"))
        producer = asyncio.create_task(self._produce(plan, rolled, stop))
        try:
            while (work := await rolled.get()) is not None:
                groups = await work
                self._tell(groups)
                losses.note(groups)
                await self._train(self._trained, groups)
            await producer
        finally:
            await _cancel(producer, rolled)
        return self._trained

    async def _produce(self, plan: Plan, rolled: Queue, stop: float) -> None:
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

    async def _roll(self, plan: Plan, step: int) -> list[Rolled]:
        started, slots = time.monotonic(), plan.step(step)
        done = {episode.id: episode for episode in self.store.pending(step)}
        self.progress.stage(f"step {step + 1}: rollouts", len(slots) * self.recipe.schedule.group_size)
        opened = {epoch: self._source(epoch).open for epoch in {slot.epoch for slot in slots}}
        groups = await asyncio.gather(
            *(self.roller.group(slot, opened[slot.epoch], done, self.progress.tick) for slot in slots)
        )
        self._rolled_in[step] = time.monotonic() - started
        return groups

    def _source(self, epoch: int) -> Source:
        """The tasks as an epoch rewards them; what follows the last planned epoch is rewarded as that one."""
        return self.source(min(epoch, self.recipe.schedule.epochs - 1))

    def _tell(self, groups: Sequence[Rolled]) -> None:
        for group in groups:
            if group.missing:
                self.progress.note(f"group {group.slot.group} of task {group.slot.task.id} left out: {group.missing}")

    async def _train(self, step: int, groups: Sequence[Rolled]) -> None:
        self.progress.stage(f"step {step + 1}: update")
        started = time.monotonic()
        episodes = [episode for group in groups if not group.missing for episode in group.episodes]
        batch = make_batch(
            self._control(episodes, step),
            self.recipe.policy.name,
            baseline=self.learner.baseline,
            denominator=self.recipe.learn.denominator,
            episode_tokens=self.recipe.learn.episode_tokens,
        )
        report = self.learner.step(batch) if batch.shares else None
        self.checkpointer.deliver(self.learner, step + 1)
        rollouts, update = self._rolled_in.pop(step), time.monotonic() - started
        metrics = {**rollout_metrics(episodes), **learner_metrics(batch, report)}
        metrics |= {
            "batch.groups short": float(sum(bool(group.missing) for group in groups)),
            "seconds.rollouts": rollouts,
            "seconds.update": update,
            "seconds.step": rollouts + update,
        }
        members, dropped = member_rows(groups, batch)
        self.checkpointer.commit(self.learner, step, members, dropped, metrics)
        self.progress.trained(step, metrics)
        async with self._moved:
            self._trained = step + 1
            self._moved.notify_all()

    def _control(self, episodes: Sequence[Episode], step: int) -> Sequence[Episode]:
        if not self.recipe.learn.shuffle_rewards:
            return episodes
        return shuffled(episodes, derive(self.recipe.seed, "shuffle", step))


async def _cancel(producer: "asyncio.Task[None]", rolled: Queue) -> None:
    """End the producer and every rollout that nobody will train."""
    left = [producer]
    while not rolled.empty():
        if (work := rolled.get_nowait()) is not None:
            left.append(work)  # type: ignore[arg-type]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
