"""Recording scripted experts: their episodes are the SFT mix, and their scores the ceiling."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from trivium.config import SftConfig
from trivium.envs import Source
from trivium.envs.search import Expert, ExpertEngine, SearchEnvironment, Skill
from trivium.episode import Episode, Task
from trivium.harness import Harness, Pruning, derive, run
from trivium.policy import Policy
from trivium.policy.rendering import Renderer

GROUP = 64
"""Experts that act side by side."""


async def record(
    source: Source,
    renderer: Renderer,
    strategy: Pruning,
    count: int,
    seed: int,
    skill: Callable[[random.Random], Skill],
    tick: Callable[[], None] = lambda: None,
    *,
    in_order: bool = False,
) -> list[Episode]:
    """`count` episodes over the tasks, shuffled in each pass or `in_order`; skill and presentation are drawn for each.

    The transient notice is shown in half of them, since training shows it and evaluation does not.
    """
    engine = ExpertEngine(renderer)
    done: list[Episode] = []
    for start in range(0, count, GROUP):
        numbers = range(start, min(start + GROUP, count))
        tasks = [_task(source.tasks, number, None if in_order else seed) for number in numbers]
        lived = (
            _one(source, task, number, engine, strategy, seed, skill)
            for number, task in zip(numbers, tasks, strict=True)
        )
        done += await asyncio.gather(*lived)
        for _ in numbers:
            tick()
    return done


async def _one(
    source: Source,
    task: Task,
    number: int,
    engine: ExpertEngine,
    strategy: Pruning,
    seed: int,
    skill: Callable[[random.Random], Skill],
) -> Episode:
    rng = random.Random(derive(seed, "expert", number))
    episode = Episode(id=f"expert-{seed}-{number:06d}", task=task, group=f"expert-{number}", seed=rng.getrandbits(62))
    environment = source.open(task, derive(seed, "presentation", number))
    assert isinstance(environment, SearchEnvironment)
    drawn = skill(rng)
    engine.attend(episode, Expert(environment.presentation, strategy.budget, drawn, rng.getrandbits(62)))
    policy = Policy("expert", engine, engine.renderer, role="main", max_tokens=strategy.budget.reply)
    notice = strategy.notice if rng.random() < 0.5 else None
    return await run(episode, environment, Harness(policy, replace(strategy, prunes=drawn.prunes, notice=notice)))


def mixed(config: SftConfig, prunes: bool) -> Callable[[random.Random], Skill]:
    """Experts of mixed quality, by the recipe's shares."""
    return lambda rng: Skill.draw(rng, config.stops_early, config.prunes_badly, prunes)


def perfect(prunes: bool) -> Callable[[random.Random], Skill]:
    """Experts without flaws: the ceiling."""
    return lambda _: Skill(prunes=prunes)


def _task(tasks: Sequence[Task], number: int, seed: int | None) -> Task:
    epoch, index = divmod(number, len(tasks))
    if seed is None:
        return tasks[index]
    order = list(range(len(tasks)))
    random.Random(derive(seed, "order", epoch)).shuffle(order)
    return tasks[order[index]]
