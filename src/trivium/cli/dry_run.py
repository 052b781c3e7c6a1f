"""`trivium train --dry-run`: all that can be known before training. Imports torch."""

from pathlib import Path

from trivium.config import Recipe
from trivium.envs.search import SearchWorld, build_world
from trivium.episode import ConfigError
from trivium.run import (
    as_stages,
    base_folder,
    fitting,
    make_budget,
    make_renderer,
    policy_folder,
    recipe_text,
    require_trainable,
    shown,
)

from .console import out
from .quiet import hush


def describe(recipe: Recipe) -> None:
    """Print the whole recipe, the model's size, the tasks, the tokens of a step, and what looks wrong."""
    hush()
    require_trainable(recipe)
    with shown() as progress:
        progress.stage("model's configuration")
        home = policy_folder(recipe.policy.model, progress.stage)
        parameters, window = model_size(base_folder(home, progress.stage))
        progress.stage("corpus and tasks")
        renderer = make_renderer(recipe.policy, home)
        world = build_world(recipe.environment, recipe.reward, renderer.count, as_stages(progress))
        world = fitting(world, recipe, renderer)
    console = out()
    console.print(recipe_text(recipe))
    for line in [
        f"model: {home}, {parameters:,} parameters, reads {window} tokens",
        *world.notes,
        tokens_line(recipe),
        *(f"warning: {line}" for line in warnings(recipe, world, window)),
        "dry run: nothing was trained",
    ]:
        console.print(line, soft_wrap=True)


def model_size(home: Path) -> tuple[int, int]:
    """(parameters, context window) from the configuration alone. Raises ConfigError when there is none."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    if not (home / "config.json").is_file():
        raise ConfigError(f"there is no model in {home}; give policy.model a folder with config.json and weights")
    config = AutoConfig.from_pretrained(home)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return model.num_parameters(), int(config.max_position_embeddings)


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


def warnings(recipe: Recipe, world: SearchWorld, window: int) -> list[str]:
    """What would stop the run, or weaken what it shows."""
    found = []
    schedule, tasks = recipe.schedule, len(world.train.tasks)
    if recipe.budget.window > window:
        found.append(f"budget.window is {recipe.budget.window}, the model reads {window}: training will refuse")
    if not recipe.eval.tasks or not world.held_out.tasks:
        found.append("there are no held-out tasks, so nothing will tell whether the policy got better")
    elif len(world.held_out.tasks) < recipe.eval.tasks:
        found.append(
            f"eval.tasks is {recipe.eval.tasks}, but only {len(world.held_out.tasks)} held-out tasks were made"
        )
    passes = schedule.steps * schedule.groups / max(tasks, 1)
    if passes > schedule.epochs:
        found.append(f"{schedule.steps} steps pass {passes:.1f} times over {tasks} tasks; epochs is {schedule.epochs}")
    if recipe.learn.shuffle_rewards:
        found.append("learn.shuffle_rewards is on: this is the control that must not learn")
    return found
