"""Operations of a step, and its time on an accelerator.

    forward of one token at depth n    2 N_active + 4 L H D n      (a multiplication and an addition are two)
    learned token                      3 forwards; 4 when activations are computed again; 2 and 3 under frozen weights
    reading                            operations / (peak x mfu)
    sampling                           one pass a token of the batch, which reads all weights once, and all keys

Peaks are the dense bfloat16 figures of the makers' data sheets, written down from memory; `mfu` and `bandwidth` are
assumptions of the recipe.
"""

from dataclasses import dataclass

from trivium.config import Recipe
from trivium.harness import Budget

from .shape import Architecture

_BYTES = {"float32": 4, "bfloat16": 2, "auto": 2}


@dataclass(frozen=True)
class Accelerator:
    """`flops` a second (dense bfloat16), `bytes` of memory, `stream` bytes a second from it."""

    flops: float
    bytes: float
    stream: float


ACCELERATORS = {
    "A100-80GB": Accelerator(312e12, 80e9, 2.04e12),
    "H100-80GB": Accelerator(989e12, 80e9, 3.35e12),
    "H200": Accelerator(989e12, 141e9, 4.8e12),
    "B200": Accelerator(2250e12, 180e9, 7.7e12),
    "B300": Accelerator(2250e12, 268e9, 7.7e12),
}


@dataclass(frozen=True)
class Work:
    """Tokens of a step: read by the engine, sampled by it, read by the learner; `depth` is a token's mean context."""

    prefilled: int
    sampled: int
    learned: int
    depth: float


@dataclass(frozen=True)
class Time:
    """Seconds of a step, by what takes them."""

    reading: float
    sampling: float
    learning: float

    @property
    def step(self) -> float:
        """All of it."""
        return self.reading + self.sampling + self.learning


def work_of(recipe: Recipe, budget: Budget) -> Work:
    """At most: every episode fills its window once, and half of it is read again for every row that pruning adds."""
    episodes = recipe.schedule.groups * recipe.schedule.group_size
    sampled = min(budget.turns * budget.reply, budget.window)
    rows = 1 + (recipe.plan.prunes if recipe.editing.prune else 0)
    read = round(budget.window + (rows - 1) * budget.window / 2)
    return Work(episodes * (read - sampled), episodes * sampled, episodes * read, budget.window / 2)


def predict_time(shape: Architecture, recipe: Recipe, work: Work, machine: Accelerator, adapted: bool) -> Time:
    """Seconds of a step; `adapted`: the weights are frozen under an adapter."""
    plan, learn = recipe.plan, recipe.learn
    forward = 2 * shape.active + 4 * shape.layers * shape.heads * shape.head_dim * work.depth
    passes = (2 if adapted else 3) + learn.checkpoint_activations
    rate = machine.flops * plan.mfu
    size = _BYTES[recipe.policy.dtype]
    together = 1 if shape.unlisted else min(recipe.policy.batch, recipe.schedule.groups * recipe.schedule.group_size)
    weights = size * (shape.active if together == 1 else shape.parameters)
    keys = size * shape.kv_bytes * work.depth * together
    turn = max((weights + keys) / (machine.stream * plan.bandwidth), forward * together / rate)
    return Time(work.prefilled * forward / rate, work.sampled / together * turn, work.learned * forward * passes / rate)
