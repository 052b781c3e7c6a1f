"""The scheduler: step by step, rollouts and then the update on them.

Always true: a step is rolled out under the weights that the step before it left, so every token is on-policy; a step's
members, metrics and checkpoint pointer are one transaction; what was rolled out before a crash and not yet trained is
found again by id, and not redone.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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

    async def train(self) -> int:
        """Run to the end; returns the number of committed steps."""
        schedule = self.recipe.schedule
        self._plan = Plan(self.source(0).tasks, schedule.groups, self.recipe.seed, schedule.short_first)
        losses = Losses(len(self._plan.tasks))
        stop = time.monotonic() + 60 * (schedule.minutes or float("inf"))
        done = self.start
        while done < schedule.steps and not self._stopped and time.monotonic() < stop:
            started = time.monotonic()
            groups = await self._roll(done)
            seconds = time.monotonic() - started
            self._tell(groups)
            losses.note(groups)
            self._train(done, groups, seconds)
            done = ordinal(done)
        return done

    async def _roll(self, step: int) -> list[Rolled]:
        planned = self._plan.step(step)
        done = {episode.id: episode for episode in self.store.episodes.pending(step)}
        self.progress.stage(f"step {ordinal(step)}: rollouts", len(planned) * self.recipe.schedule.group_size)
        opened = {epoch: self._source(epoch).open for epoch in {group.epoch for group in planned}}
        return await asyncio.gather(
            *(self.roller.group(group, opened[group.epoch], done, self.progress.tick) for group in planned)
        )

    def _source(self, epoch: int) -> Source:
        """The tasks as an epoch rewards them."""
        return self.source(rewarded_as(epoch, self.recipe.schedule.epochs))

    def _tell(self, groups: Sequence[Rolled]) -> None:
        for group in groups:
            if group.missing:
                self.progress.note(
                    f"group {group.planned.group} of task {group.planned.task.id} left out: {group.missing}"
                )

    def _train(self, step: int, groups: Sequence[Rolled], rollouts: float) -> None:
        """Update on a step whose rollouts took so many seconds, and commit it."""
        self.progress.stage(f"step {ordinal(step)}: update")
        started = time.monotonic()
        batch = step_batch(self.recipe, [e for group in groups for e in group.episodes], step, self.learner.baseline)
        report = self.learner.step(batch) if batch.shares else None
        self.checkpointer.deliver(self.learner, step)
        update = time.monotonic() - started
        seconds = {"seconds.rollouts": rollouts, "seconds.update": update, "seconds.step": rollouts + update}
        learned = learner_metrics(report) if report else {}
        self._commit(step, groups, batch, {**batch_metrics(batch.counts), **learned, **seconds})

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
