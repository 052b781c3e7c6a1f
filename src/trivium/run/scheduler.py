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
from trivium.watch import Finding, watch

from .checkpoint import Checkpointer, member_rows
from .findings import PausedError, as_notes
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
    _plan: Plan = field(init=False)
    _stopped: bool = field(init=False, default=False)
    _trained: int = field(init=False, default=0)
    _moved: asyncio.Condition = field(init=False, default_factory=asyncio.Condition)

    async def train(self) -> int:
        """Run to the end; returns the number of committed steps."""
        self._trained = self.start
        self._plan = Plan(self.source(0).tasks, self.recipe.schedule.groups, self.recipe.seed)
        rolled: Rolled = asyncio.Queue()
        stop = time.monotonic() + 60 * (self.recipe.schedule.minutes or float("inf"))
        producer = asyncio.create_task(self._produce(rolled, stop))
        try:
            while (work := await rolled.get()) is not None:
                await self._train(self._trained, await work)
                if self._stopped:
                    return self._trained
            await producer
        finally:
            await _cancel(producer, rolled)
        return self._trained

    async def _produce(self, rolled: Rolled, stop: float) -> None:
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

    async def _roll(self, step: int) -> list[Episode]:
        slots = self._plan.step(step)
        done = {episode.id: episode for episode in self.store.pending(step)}
        self.progress.stage(f"step {step + 1}: rollouts", len(slots) * self.recipe.schedule.group_size)
        opened = self.source(self._epoch(step)).open
        groups = await asyncio.gather(*(self.roller.group(slot, opened, done, self.progress.tick) for slot in slots))
        rolled = zip(slots, groups, strict=True)
        return [episode for slot, group in rolled for episode in require(group, slot, self.store)]

    def _epoch(self, step: int) -> int:
        """The epoch under whose reward a step is judged."""
        return min(self._plan.epoch(step), self.recipe.schedule.epochs - 1)

    async def _train(self, step: int, episodes: Sequence[Episode]) -> None:
        self.progress.stage(f"step {step + 1}: update")
        started = time.monotonic()
        batch = step_batch(self.recipe, episodes, step)
        report = self.learner.step(batch) if batch.shares else None
        self.checkpointer.deliver(self.learner, step + 1)
        self._commit(step, episodes, batch, report, time.monotonic() - started)
        async with self._moved:
            self._trained = step + 1
            self._moved.notify_all()

    def _commit(
        self, step: int, episodes: Sequence[Episode], batch: Batch, report: StepReport | None, seconds: float
    ) -> None:
        metrics = {**rollout_metrics(episodes), **learner_metrics(batch, report)}
        metrics |= {"seconds.update": seconds, "schedule.epoch": float(self._epoch(step))}
        members, dropped = member_rows(episodes, batch)
        found = watch(step, metrics, episodes, self.store.curve)
        self.checkpointer.commit(self.learner, step, members, dropped, metrics, as_notes(found))
        self.progress.trained(step, metrics)
        self._heed(step, found)

    def _heed(self, step: int, found: Sequence[Finding]) -> None:
        """Tell findings, and do what the recipe says. Raises PausedError."""
        for finding in found:
            self.progress.note(f"finding: {finding.text}; read {', '.join(finding.episodes)}")
        if found and self.recipe.watch.on_finding == "pause":
            raise PausedError(f"paused after step {step + 1}: {found[0].text}; read its episodes, then add --resume")
        self._stopped = bool(found) and self.recipe.watch.on_finding == "stop"


async def _cancel(producer: "asyncio.Task[None]", rolled: Rolled) -> None:
    """End the producer and every rollout that nobody will train."""
    left = [producer]
    while not rolled.empty():
        if (work := rolled.get_nowait()) is not None:
            left.append(work)  # type: ignore[arg-type]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def step_batch(recipe: Recipe, episodes: Sequence[Episode], step: int) -> Batch:
    """The batch of a step, from its episodes in the order of the plan: a pure function, so an audit makes it again."""
    if recipe.learn.shuffle_rewards:
        episodes = shuffled(episodes, derive(recipe.seed, "shuffle", step))
    baseline, denominator = BASELINES[recipe.learn.baseline], recipe.learn.denominator
    return make_batch(episodes, recipe.policy.name, baseline=baseline, denominator=denominator)


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
