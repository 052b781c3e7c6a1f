"""The peak of a run's memory, by what holds it.

    P all parameters, T trained ones, b_e and b_l bytes of a number in engine and learner, M tokens of one pass:

    weights      4 P                       read in float32
    engine       b_e P                     a copy that sampling reads (through its own forward: 4 P while it is made)
    learner      b_l P where b_l is 2      a narrower copy, made of a whole one (4 P while it is made)
    gradients    4 T (+ b_l T)             optimiser 8 T: the two moments of AdamW
    adapter      4 A                       its parameters, in engine and learner
    keys         b_e x 2 L J D per token   of as many contexts as are sampled at once, in rows of powers of two
    activations  b_l c per token and layer, c = 4 W + (1 + normed)(H + 2 J) D + 2 H D + 3 F; one layer when checkpointed
    logits       4 bytes x 6 (as they come, scaled, log-softmax, exp, product, gradient) of the places that are computed
                 at once (learn/logprobs.py), and the head in float32; through a model's own forward all M, twice, too

Measured against real peaks by `benchmarks/predicted_memory.py`; docs/models.md states the error.
"""

from dataclasses import dataclass, fields

from trivium.config import Recipe
from trivium.harness import Budget
from trivium.learn.logprobs import CHUNK

from .shape import Architecture

_BYTES = {"float32": 4, "bfloat16": 2, "auto": 2}
PROGRAM = 400_000_000
"""Python, torch and its kernels, without any model."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Bytes at the peak, by what holds them; `making` is held while copies are made, before anything is sampled."""

    program: int
    weights: int
    engine: int
    learner: int
    adapter: int
    gradients: int
    moments: int
    keys: int
    activations: int
    logits: int
    making: int

    @property
    def running(self) -> int:
        """While a step is learned."""
        return sum(int(getattr(self, field.name)) for field in fields(self)) - self.making

    @property
    def starting(self) -> int:
        """While the copies of the weights are made."""
        return self.program + self.weights + self.engine + self.learner + self.adapter + self.making

    @property
    def peak(self) -> int:
        """The larger of the two."""
        return max(self.running, self.starting)


def predict_memory(shape: Architecture, recipe: Recipe, budget: Budget, adapter: int = 0) -> Memory:
    """The memory of a recipe's run. `adapter`: its parameters, 0 where all weights are trained."""
    policy, learn, total = recipe.policy, recipe.learn, shape.parameters
    engine, learner = _BYTES[policy.dtype], _BYTES[learn.dtype]
    narrow = learner == 2
    trained = adapter or total
    own = shape.unlisted is not None
    micro = max(learn.micro_tokens, budget.window)
    asked = min(micro, micro * budget.turns * budget.reply // budget.window)
    places = min(asked, max(1, CHUNK // shape.vocab))
    return Memory(
        program=PROGRAM,
        weights=4 * total,
        engine=engine * total,
        learner=learner * total if narrow else 0,
        adapter=4 * adapter * (2 + narrow),
        gradients=4 * trained + (learner * trained if narrow else 0),
        moments=8 * trained,
        keys=engine * shape.kv_bytes * _held(recipe, budget),
        activations=_activations(shape, micro, learner, learn.checkpoint_activations),
        logits=4 * shape.vocab * 6 * places + (learner * 2 * shape.vocab * micro if own else 0) + _head(shape, narrow),
        making=4 * total * (narrow or own) - learner * total * narrow,
    )


def _held(recipe: Recipe, budget: Budget) -> int:
    """Tokens whose keys and values are held: rows of the next power of two, up to what the cache may hold."""
    rows = min(recipe.policy.batch, recipe.schedule.groups * recipe.schedule.group_size)
    return min((1 << (rows - 1).bit_length()) * budget.window, 2 * recipe.policy.cached_tokens)


def _activations(shape: Architecture, tokens: int, size: int, checkpointed: bool) -> int:
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    layer = 4 * shape.width + (1 + shape.normed) * (queries + 2 * keys) + 2 * queries + 3 * shape.ff
    kept = shape.layers * shape.width + layer if checkpointed else shape.layers * layer
    return size * tokens * kept


def _head(shape: Architecture, narrow: bool) -> int:
    """The head in float32, and its gradient there, where the layers are narrower."""
    return 2 * 4 * shape.vocab * shape.width if narrow else 0
