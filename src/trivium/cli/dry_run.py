"""`trivium train --dry-run`: all that can be known before training. Imports torch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trivium.config import PolicyConfig, Recipe
from trivium.policy.rendering import Renderer, require_renderer
from trivium.run import (
    SearchSources,
    base_folder,
    make_budget,
    make_renderer,
    open_world,
    policy_folder,
    recipe_text,
    require_trainable,
    shown,
)
from trivium.run.sizing import published, skeleton

from .console import out
from .prediction import NEVER, predictions
from .quiet import hush

STAND_IN = "tokens are counted by the embedded policy's smaller vocabulary, so by more than the model's own"


def describe(recipe: Recipe) -> None:
    """Print the whole recipe, the model's size, the tasks, the tokens of a step, and what looks wrong."""
    hush()
    require_trainable(recipe)
    console = out()
    console.print(recipe_text(recipe))
    with shown() as progress:
        progress.stage("model's configuration")
        home, model = _model(recipe.policy, progress.stage)
        renderer = make_renderer(recipe.policy, home) if home else _ruler(recipe.policy)
        told = list(predictions(recipe, model))
        progress.stage("corpus and tasks")
        sources = open_world(recipe, renderer, home or policy_folder(PolicyConfig().model), progress)
    window = int(model.config.max_position_embeddings)
    for line in [
        f"model: {home or recipe.policy.architecture}, {model.num_parameters():,} parameters, reads {window} tokens",
        *sources.notes,
        tokens_line(recipe),
        *told,
        *(f"warning: {line}" for line in warnings(recipe, sources, window)),
        *([] if home else [f"warning: {recipe.policy.model} is not there: {STAND_IN}", NEVER]),
        "dry run: nothing was trained",
    ]:
        console.print(line, soft_wrap=True)


def _model(policy: PolicyConfig, tell: Callable[[str], None]) -> tuple[Path | None, Any]:
    """The folder, where there is one, and the model without weights: its own, or of the published sizes."""
    if policy.architecture is not None and not Path(policy.model).exists():
        return None, published(policy.architecture)
    home = policy_folder(policy.model, tell)
    return home, skeleton(base_folder(home, tell))


def _ruler(policy: PolicyConfig) -> Renderer:
    """The embedded policy's renderer, to count with; what the recipe's own needs is checked without its tokenizer."""
    require_renderer(policy.renderer)
    embedded = PolicyConfig(renderer="chatml")
    return make_renderer(embedded, policy_folder(embedded.model))


def tokens_line(recipe: Recipe) -> str:
    """Upper bounds of a step, from the budget."""
    budget, schedule = make_budget(recipe.budget), recipe.schedule
    episodes = schedule.groups * schedule.group_size
    sampled = min(budget.turns * budget.reply, budget.window)
    return (
        f"a step: {schedule.groups} groups x {schedule.group_size} = {episodes} episodes, at most "
        f"{episodes * sampled:,} sampled tokens in contexts of at most {budget.window} tokens "
        f"({episodes * budget.window:,} to read when nothing is edited)"
    )


def warnings(recipe: Recipe, sources: SearchSources, window: int) -> list[str]:
    """What would stop the run, or weaken what it shows."""
    found = []
    schedule, tasks, measured = recipe.schedule, len(sources.training(0).tasks), len(sources.world.held_out.tasks)
    if recipe.budget.window > window:
        found.append(f"budget.window is {recipe.budget.window}, the model reads {window}: training will refuse")
    if not recipe.eval.tasks or not measured:
        found.append("there are no held-out tasks, so nothing will tell whether the policy got better")
    elif measured < recipe.eval.tasks:
        found.append(f"eval.tasks is {recipe.eval.tasks}, but only {measured} held-out tasks were made")
    passes = schedule.steps * schedule.groups / tasks
    if passes > schedule.epochs:
        found.append(f"{schedule.steps} steps pass {passes:.1f} times over {tasks} tasks; epochs is {schedule.epochs}")
    if recipe.learn.shuffle_rewards:
        found.append("learn.shuffle_rewards is on: this is the control that must not learn")
    return found
