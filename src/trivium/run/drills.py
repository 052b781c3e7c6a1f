"""Copy drills done right, as episodes of the harness: the part of an SFT mix that keeps copying alive."""

import asyncio
from collections.abc import Sequence

from trivium.envs import echo, echo_tasks
from trivium.episode import Episode, Task
from trivium.harness import Budget, Harness, Pruning, run_episode
from trivium.policy import Policy, ScriptedEngine
from trivium.policy.rendering import Renderer

ROOM = Budget.of(8192)
"""For any tokenizer: the limits of the recipe are not meant for drills."""


async def record_drills(pieces: Sequence[str], renderer: Renderer, count: int, seed: int) -> list[Episode]:
    """`count` drills, each answered with its line."""
    return list(await asyncio.gather(*(_one(task, renderer, seed) for task in echo_tasks(pieces, count, seed))))


async def _one(task: Task, renderer: Renderer, seed: int) -> Episode:
    line = str(task.data["line"])
    engine = ScriptedEngine(lambda _: line, renderer.encode_text, min(renderer.stop_ids))
    policy = Policy("expert", engine, renderer, role="main", max_tokens=ROOM.reply)
    episode = Episode(id=f"{task.id}-{seed}", task=task, group=task.id, seed=seed)
    return await run_episode(episode, echo(task), Harness(policy, Pruning(ROOM, prunes=False)))
