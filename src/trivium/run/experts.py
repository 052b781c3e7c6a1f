"""Recording scripted experts: their episodes are the SFT mix, and their scores the ceiling."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from trivium.config import SftConfig
from trivium.envs import Source
from trivium.envs.search import Expert, ExpertEngine, SearchEnvironment, Skill
from trivium.episode import Episode, Task
from trivium.harness import Harness, Pruning, derive_seed, run_episode
from trivium.policy import Policy
from trivium.policy.rendering import Renderer

from .redraw import redrawn

GROUP = 64
"""Experts that act side by side."""


@dataclass(frozen=True)
class Recorder:
    """Records experts over the tasks of a source; skill and notice are drawn for each.

    The transient notice is shown in half of them, since training shows it and evaluation does not.
    """

    source: Source
    renderer: Renderer
    strategy: Pruning
    skill: Callable[[random.Random], Skill]
    seed: int
    presentation: Callable[[int], int]
    """Place among the tasks -> the seed of the presentation."""
    redraws: int
    tick: Callable[[], None] = lambda: None

    async def record(self, tasks: Sequence[Task]) -> list[list[Episode]]:
        """For each task the attempts at it: the last one is valid, unless no redraw helped."""
        engine = ExpertEngine(self.renderer)
        done: list[list[Episode]] = []
        for start in range(0, len(tasks), GROUP):
            group = tasks[start : start + GROUP]
            done += await asyncio.gather(*(self._attempts(engine, task, start + n) for n, task in enumerate(group)))
            for _ in group:
                self.tick()
        return done

    async def _attempts(self, engine: ExpertEngine, task: Task, number: int) -> list[Episode]:
        lived: list[Episode] = []

        async def live(attempt: int) -> Episode:
            lived.append(await self._live(engine, task, number, attempt))
            return lived[-1]

        await redrawn(live, self.redraws)
        return lived

    async def _live(self, engine: ExpertEngine, task: Task, number: int, attempt: int) -> Episode:
        again = [attempt] if attempt else []
        rng = random.Random(derive_seed(self.seed, "expert", number, *again))
        name = f"expert-{self.seed}-{number:06d}" + (f"r{attempt}" if attempt else "")
        episode = Episode(id=name, task=task, group=f"expert-{number}", seed=rng.getrandbits(62))
        environment = self.source.open(task, self.presentation(number))
        assert isinstance(environment, SearchEnvironment)
        skill, budget = self.skill(rng), self.strategy.budget
        engine.attend(episode, Expert(environment.presentation, budget, skill, rng.getrandbits(62)))
        policy = Policy("expert", engine, self.renderer, role="main", max_tokens=budget.reply)
        notice = self.strategy.notice if rng.random() < 0.5 else None
        strategy = replace(self.strategy, prunes=skill.prunes, notice=notice)
        return await run_episode(episode, environment, Harness(policy, strategy))


def mixed(config: SftConfig, prunes: bool) -> Callable[[random.Random], Skill]:
    """Experts of mixed quality, by the recipe's shares."""
    return lambda rng: Skill.draw(rng, config.stops_early, config.prunes_badly, prunes)


def perfect(prunes: bool) -> Callable[[random.Random], Skill]:
    """Experts without flaws: the ceiling."""
    return lambda _: Skill(prunes=prunes)


def shuffled_tasks(tasks: Sequence[Task], count: int, seed: int) -> list[Task]:
    """`count` tasks in passes over all of them, each pass in an order of its own."""
    drawn: list[Task] = []
    while len(drawn) < count:
        order = list(tasks)
        random.Random(derive_seed(seed, "order", len(drawn) // len(tasks))).shuffle(order)
        drawn += order
    return drawn[:count]
