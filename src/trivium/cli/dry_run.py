"""`trivium train --dry-run`: all that can be known before training. Imports torch."""

from pathlib import Path

from trivium.config import Recipe
from trivium.episode import ConfigError
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

from .console import out
from .quiet import hush


def describe(recipe: Recipe) -> None:
    """Print the whole recipe, the model's size, the tasks, the tokens of a step, and what looks wrong."""
    hush()
    require_trainable(recipe)
    console = out()
    console.print(recipe_text(recipe))
    with shown() as progress:
        progress.stage("model's configuration")
        home = policy_folder(recipe.policy.model, progress.stage)
        parameters, window = model_size(base_folder(home, progress.stage))
        progress.stage("corpus and tasks")
        sources = open_world(recipe, make_renderer(recipe.policy, home), home, progress)
    for line in [
        f"model: {home}, {parameters:,} parameters, reads {window} tokens",
        *sources.notes,
        tokens_line(recipe),
        *(f"warning: {line}" for line in warnings(recipe, sources, window)),
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
