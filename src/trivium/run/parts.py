"""From a recipe to the parts of a run: model, renderer, engine, harness. The learner: learning.py."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trivium.config import BudgetConfig, PolicyConfig, Recipe
from trivium.episode import ConfigError
from trivium.harness import Budget, Harness, Pruning
from trivium.policy import Engine, Policy
from trivium.policy.local import LocalEngine
from trivium.policy.models import load_model
from trivium.policy.rendering import ChatML, Codec, Qwen3, Renderer
from trivium.store import RunStore

from .checkpoint import require_whole
from .remote import remote_engine, with_model


@dataclass
class Parts:
    """What acts and what learns. `engine` samples from its own copy of the weights of `model`, or is a server."""

    recipe: Recipe
    model: Any
    """What a learner trains; None where a server decides."""
    home: Path
    """Folder of the model and its tokenizer."""
    renderer: Renderer
    engine: Engine
    budget: Budget

    def policy(self, temperature: float) -> Policy:
        """The policy at a temperature."""
        name = self.recipe.policy.name
        return Policy(name, self.engine, self.renderer, temperature=temperature, max_tokens=self.budget.reply)

    def training(self) -> Harness:
        """The harness of training rollouts."""
        noticed = self.recipe.editing.notice in ("training", "always")
        return Harness(self.policy(self.recipe.policy.temperature), self._strategy(noticed))

    def evaluation(self) -> Harness:
        """The harness of evaluation: the same, but for what the recipe says is for training only."""
        noticed = self.recipe.editing.notice == "always"
        return Harness(self.policy(self.recipe.eval.temperature), self._strategy(noticed))

    @property
    def strategy(self) -> Pruning:
        """How contexts are edited, with the notice."""
        return make_strategy(self.recipe)

    def _strategy(self, noticed: bool) -> Pruning:
        """A notice says to prune, so there is none where nothing can be pruned."""
        return self.strategy if noticed and self.strategy.prunes else replace(self.strategy, notice=None)


def open_parts(recipe: Recipe) -> Parts:
    """Load the model and build the parts around it.

    Raises ConfigError in one sentence where something does not fit, StoreError for a checkpoint that is torn.
    """
    if recipe.policy.remote is not None:
        return _remote_parts(recipe)
    import torch

    torch.set_num_threads(recipe.policy.threads or os.cpu_count() or 1)
    home = model_home(recipe.policy.model)
    require_whole(home)
    model, _ = load_model(home)
    engine = LocalEngine(
        model,
        max_batch=recipe.policy.batch,
        max_cached_tokens=recipe.policy.cached_tokens,
        dtype=recipe.policy.dtype,
    )
    budget = make_budget(recipe.budget)
    if budget.window > engine.window:
        raise ConfigError(f"budget.window is {budget.window}, the model reads {engine.window} tokens; lower the window")
    return Parts(recipe, model, home, make_renderer(recipe.policy, home), engine, budget)


def _remote_parts(recipe: Recipe) -> Parts:
    recipe = with_model(recipe)
    home = model_home(recipe.policy.model)
    renderer = make_renderer(recipe.policy, home)
    engine = remote_engine(recipe.policy, renderer)
    return Parts(recipe, None, home, renderer, engine, make_budget(recipe.budget))


def model_home(name: str) -> Path:
    """The folder behind `policy.model`: the embedded one, a model folder, a checkpoint of a run (RUN, RUN@step)."""
    if name == "embedded":
        return Path(__file__).parents[1] / "policy" / "embedded"
    path, _, step = name.partition("@")
    folder = Path(path)
    if (folder / "run.db").is_file():
        return _checkpoint(folder, step)
    if step or not (folder / "config.json").is_file():
        raise ConfigError(
            f"policy {name}: no run and no model lies there; give `embedded`, a model folder, RUN or RUN@step"
        )
    return folder


def _checkpoint(folder: Path, step: str) -> Path:
    with RunStore(folder, readonly=True) as store:
        commits = {str(commit.step + 1): commit.checkpoint for commit in store.commits()}
    kept = {number: path for number, path in commits.items() if (folder / path).is_dir()}
    if not kept:
        raise ConfigError(f"the run {folder} has no checkpoint; train it, or give a model folder")
    if step and step not in kept:
        raise ConfigError(f"the run {folder} keeps no checkpoint of step {step}; it keeps {', '.join(kept)}")
    last = next(reversed(commits))
    if not step and last not in kept:
        raise ConfigError(f"the run {folder} lost its checkpoint of step {last}; name one of {', '.join(kept)} by @")
    return folder / kept[step or last]


def tokenizer_file(home: Path) -> Path:
    """`tokenizer.json` of a model folder, or of the run that a checkpoint lies in."""
    for folder in (home, home.parent.parent / "tokenizer"):
        if (folder / "tokenizer.json").is_file():
            return folder / "tokenizer.json"
    raise ConfigError(f"{home} has no tokenizer.json; save a fast tokenizer beside the model")


def make_renderer(policy: PolicyConfig, home: Path) -> Renderer:
    """The renderer that speaks the model's chat format; `auto` knows Qwen3 by its control tokens.

    A chat server reads messages off a tape, for which the model's tokenizer only counts.
    """
    codec = Codec.from_file(tokenizer_file(home))
    if policy.remote is not None and policy.remote.api == "chat":
        from trivium.policy.remote import Tape

        return Tape(codec)
    is_qwen3 = {"<think>", "<tool_response>"} <= codec.controls.keys()
    return Qwen3(codec) if policy.renderer == "qwen3" or (policy.renderer == "auto" and is_qwen3) else ChatML(codec)


def make_budget(config: BudgetConfig) -> Budget:
    """A budget; unset limits keep Context-1's proportions."""
    return Budget.of(**config.model_dump())


def make_strategy(recipe: Recipe) -> Pruning:
    """The strategy of a recipe, with the notice."""
    return Pruning(make_budget(recipe.budget), recipe.editing.prune, guides=recipe.environment.prompt == "full")
