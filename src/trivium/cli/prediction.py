"""What `trivium train --dry-run` predicts from sizes alone: memory, and hours on a named accelerator. Imports torch."""

from collections.abc import Iterator
from typing import Any

from trivium.config import Recipe
from trivium.episode import ConfigError
from trivium.run import make_budget
from trivium.run.sizing import ACCELERATORS, Architecture, Memory, predict_memory, predict_time, work_of

NEVER = "never run here: sizes are published ones, time and memory are formulas (docs/models.md), no weights were read"


def predictions(recipe: Recipe, model: Any) -> Iterator[str]:
    """The lines about a run of this model. Raises ConfigError for what training would refuse."""
    shape, budget = Architecture.of(model), make_budget(recipe.budget)
    _require_known(recipe, shape)
    adapter = adapter_size(recipe, model)
    memory = predict_memory(shape, recipe, budget, adapter)
    met = "" if shape.active == shape.parameters else f", of which a token meets {shape.active:,}"
    trained = f"an adapter of {adapter:,}" if adapter else "all of them"
    yield f"trained: {trained}, of {shape.parameters:,} parameters{met}"
    yield f"memory at the peak: {_gb(memory.peak)} predicted ({_held(memory)})"
    name = recipe.plan.accelerator
    if name is None:
        return
    time = predict_time(shape, recipe, work_of(recipe, budget), ACCELERATORS[name], bool(adapter))
    hours = recipe.schedule.steps * time.step / 3600
    yield (
        f"time on one {name}: {time.step:,.0f} s a step at most ({time.reading:,.0f} reading, {time.sampling:,.0f} "
        f"sampling, {time.learning:,.0f} learning), {hours:,.1f} hours for {recipe.schedule.steps} steps, at "
        f"{recipe.plan.mfu:.0%} of its peak and {recipe.plan.bandwidth:.0%} of its bandwidth"
    )
    if memory.peak > ACCELERATORS[name].bytes:
        yield f"warning: it does not fit: {name} holds {_gb(ACCELERATORS[name].bytes)}"
    if shape.unlisted:
        yield f"warning: sampled one context at a time and learned by segments: {shape.unlisted}"


def adapter_size(recipe: Recipe, model: Any) -> int:
    """Parameters of the adapter that the recipe wants, 0 for none. Raises ConfigError where it fits nowhere."""
    from torch import nn

    wanted = recipe.policy.lora
    if wanted is None:
        return 0
    sizes: dict[str, int] = dict.fromkeys(wanted.target_modules, 0)
    for name, module in model.named_modules():
        target = name.rpartition(".")[2]
        if target in sizes and isinstance(module, nn.Linear):
            sizes[target] += wanted.r * (module.in_features + module.out_features)
    if absent := [target for target, size in sizes.items() if not size]:
        raise ConfigError(
            f"{type(model).__name__} has no linear module {', '.join(absent)}; "
            "take it out of policy.lora.target_modules"
        )
    return sum(sizes.values())


def _require_known(recipe: Recipe, shape: Architecture) -> None:
    """Raises ConfigError for settings that only models on the allow-list have."""
    for key, wrong, right in (
        ("learn.layout", recipe.learn.layout == "trees", '"segments"'),
        ("learn.checkpoint_activations", recipe.learn.checkpoint_activations, "false"),
    ):
        if wrong and shape.unlisted:
            raise ConfigError(f"this model is not on the allow-list ({shape.unlisted}); set {key} = {right}")


def _held(memory: Memory) -> str:
    names = ("weights", "engine", "learner", "adapter", "gradients", "moments", "keys", "activations", "logits")
    return (
        ", ".join(f"{name} {_gb(getattr(memory, name))}" for name in names) + f"; {_gb(memory.starting)} at the start"
    )


def _gb(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
