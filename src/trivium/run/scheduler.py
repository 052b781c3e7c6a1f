"""The scheduler: one pipeline of rollouts and updates, bounded by staleness.

    may step s be rolled out?   trained >= s - STALENESS

Always true: batches are trained in step order; a step's members, metrics and checkpoint pointer are one transaction;
what was rolled out before a crash and not yet trained is found again by id, and not redone.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from trivium.config import Recipe
from trivium.envs import Source
from trivium.learn import Batch, Learner
from trivium.store import RunStore, ordinal
from trivium.watch import Finding, watch

from .batching import step_batch, whole
from .checkpoint import Checkpointer
from .findings import PausedError, as_notes
from .members import member_rows
from .metrics import batch_metrics, learner_metrics, rollout_metrics
from .plan import Plan, rewarded_as
from .progress import Progress
from .rollout import Losses, Rolled, Roller

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
    _plan: Plan = field(init=False)
    _stopped: bool = field(init=False, default=False)
    _trained: int = field(init=False, default=0)
    _rolled_in: dict[int, float] = field(init=False, default_factory=dict)
    """Step -> seconds that its rollouts took, until it is committed."""
    _moved: asyncio.Condition = field(init=False, default_factory=asyncio.Condition)

    async def train(self) -> int:
        """Run to the end; returns the number of committed steps."""
        self._trained = self.start
        schedule = self.recipe.schedule
        self._plan = Plan(self.source(0).tasks, schedule.groups, self.recipe.seed, schedule.short_first)
        losses = Losses(len(self._plan.tasks))
        rolled: Queue = asyncio.Queue()
        stop = time.monotonic() + 60 * (self.recipe.schedule.minutes or float("inf"))
        producer = asyncio.create_task(self._produce(rolled, stop))
        try:
            while (work := await rolled.get()) is not None:
                groups = await work
                self._tell(groups)
                losses.note(groups)
                await self._train(self._trained, groups)
                if self._stopped:
                    return self._trained
            await producer
        finally:
            await _cancel(producer, rolled)
        return self._trained

    async def _produce(self, rolled: Queue, stop: float) -> None:
        """Start the rollouts of each step as soon as staleness allows; None marks the end, however it came."""
        try:
            for step in range(self.start, self.recipe.schedule.steps):
                await self._until(step - STALENESS)
                if time.monotonic() >= stop:
                    return
                rolled.put_nowait(asyncio.create_task(self._roll(step)))
        finally:
            rolled.put_nowait(None)

    async def _until(self, trained: int) -> None:
        async with self._moved:
            await self._moved.wait_for(lambda: self._trained >= trained)

    async def _roll(self, step: int) -> list[Rolled]:
        started, planned = time.monotonic(), self._plan.step(step)
        done = {episode.id: episode for episode in self.store.episodes.pending(step)}
        self.progress.stage(f"step {ordinal(step)}: rollouts", len(planned) * self.recipe.schedule.group_size)
        opened = {epoch: self._source(epoch).open for epoch in {group.epoch for group in planned}}
        groups = await asyncio.gather(
            *(self.roller.group(group, opened[group.epoch], done, self.progress.tick) for group in planned)
        )
        self._rolled_in[step] = time.monotonic() - started
        return groups

    def _source(self, epoch: int) -> Source:
        """The tasks as an epoch rewards them."""
        return self.source(rewarded_as(epoch, self.recipe.schedule.epochs))

    def _tell(self, groups: Sequence[Rolled]) -> None:
        for group in groups:
            if group.missing:
                self.progress.note(
                    f"group {group.planned.group} of task {group.planned.task.id} left out: {group.missing}"
                )

    async def _train(self, step: int, groups: Sequence[Rolled]) -> None:
        self.progress.stage(f"step {ordinal(step)}: update")
        started = time.monotonic()
        batch = step_batch(self.recipe, [e for group in groups for e in group.episodes], step, self.learner.baseline)
        report = self.learner.step(batch) if batch.shares else None
        self.checkpointer.deliver(self.learner, step)
        rollouts, update = self._rolled_in.pop(step), time.monotonic() - started
        seconds = {"seconds.rollouts": rollouts, "seconds.update": update, "seconds.step": rollouts + update}
        learned = learner_metrics(report) if report else {}
        self._commit(step, groups, batch, {**batch_metrics(batch.counts), **learned, **seconds})
        async with self._moved:
            self._trained = ordinal(step)
            self._moved.notify_all()

    def _commit(self, step: int, groups: Sequence[Rolled], batch: Batch, metrics: Mapping[str, float]) -> None:
        episodes = whole([e for group in groups for e in group.episodes], self.recipe.schedule.group_size)
        metrics = {
            **rollout_metrics(episodes),
            **metrics,
            "batch.attempts invalid": float(self.store.episodes.count_outcomes(step=step).get("invalid", 0)),
            "batch.groups short": float(sum(bool(group.missing) for group in groups)),
            "schedule.tasks": float(len(self._plan.tasks)),
        }
        members, dropped = member_rows(groups, batch)
        found = watch(step, metrics, episodes, self.store.journal.curve)
        self.checkpointer.commit(self.learner, step, members, dropped, metrics, as_notes(found))
        self.progress.trained(step, metrics)
        self._heed(step, found)

    def _heed(self, step: int, found: Sequence[Finding]) -> None:
        """Tell findings, and do what the recipe says. Raises PausedError."""
        for finding in found:
            self.progress.note(f"finding: {finding.text}; read {', '.join(finding.episodes)}")
        if found and self.recipe.watch.on_finding == "pause":
            why = f"paused after step {ordinal(step)}: {found[0].text}"
            raise PausedError(f"{why}; read its episodes, then add --resume")
        self._stopped = bool(found) and self.recipe.watch.on_finding == "stop"


async def _cancel(producer: "asyncio.Task[None]", rolled: Queue) -> None:
    """End the producer and every rollout that nobody will train."""
    left = [producer]
    while not rolled.empty():
        if (work := rolled.get_nowait()) is not None:
            left.append(work)  # type: ignore[arg-type]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
