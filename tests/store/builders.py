"""Small real episodes, and a run with one of each kind."""

import random
from pathlib import Path

from trivium.episode import (
    Draft,
    Episode,
    Kind,
    Life,
    Outcome,
    Reward,
    Sampled,
    Scored,
    StopReason,
    Task,
    Versions,
    say,
)
from trivium.store import RunStore


def make_episode(
    episode_id: str, *, life: Life = Life.SCORED, outcome: Outcome | None = None, group: str = "g0", family: str = "web"
) -> Episode:
    draw = random.Random(episode_id)
    episode = Episode(
        id=episode_id, task=Task(id=f"task-{group}", prompt="find it", family=family), group=group, seed=2**63 + 7
    )
    size = 40
    sampled = Sampled(
        policy="tiny",
        role="main",
        logprobs=tuple(-draw.random() for _ in range(size)),
        versions=Versions(("w0",), (size,)),
        temperature=1.0,
        seed=1,
        stop=StopReason.STOP,
    )
    context = episode.context(episode.main)
    context = context.append(Draft(kind=Kind.USER, tokens=tuple(range(200)), message=say("user", "find it")))
    context = context.append(Draft(kind=Kind.ACTION, tokens=tuple(range(size)), sampled=sampled))
    episode.main.tip = context.tip
    episode.life = life
    episode.count("calls", 3)
    if life is Life.SCORED:
        episode.outcome = outcome or Scored(draw.random())
        episode.rewards = [Reward("recall", 0.5, time=1.0), Reward("reward", 0.25, time=1.0)]
    return episode


def checkpoint(store: RunStore, step: int) -> str:
    return store.checkpoints.write(step, lambda folder: _fill(folder, step))


def _fill(folder: Path, step: int) -> None:
    (folder / "adapter").mkdir()
    (folder / "adapter" / "weights.safetensors").write_bytes(bytes([step % 256]) * 100)
