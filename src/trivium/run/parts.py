"""From a recipe to the parts of a run: model (homes.py), renderer, engine, harness. The learner: learning.py."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trivium.config import BudgetConfig, PolicyConfig, Recipe
from trivium.episode import ConfigError
from trivium.harness import Budget, Harness, Pruning
from trivium.policy import Engine, Policy
from trivium.policy.local import LocalEngine
from trivium.policy.rendering import Codec, Renderer, choose_renderer

from .homes import Tell, model_home, open_model, silent, tokenizer_file
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


def open_parts(recipe: Recipe, tell: Tell = silent) -> Parts:
    """Load the model and build the parts around it; `tell` hears what takes long.

    Raises ConfigError in one sentence where something does not fit, StoreError for a checkpoint that is torn.
    """
    if recipe.policy.remote is not None:
        return _remote_parts(recipe, tell)
    import torch

    torch.set_num_threads(recipe.policy.threads or os.cpu_count() or 1)
    home = model_home(recipe.policy.model, tell)
    model = open_model(recipe.policy, home, recipe.seed, tell)
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


def _remote_parts(recipe: Recipe, tell: Tell) -> Parts:
    recipe = with_model(recipe)
    home = model_home(recipe.policy.model, tell)
    renderer = make_renderer(recipe.policy, home)
    engine = remote_engine(recipe.policy, renderer)
    return Parts(recipe, None, home, renderer, engine, make_budget(recipe.budget))


def make_renderer(policy: PolicyConfig, home: Path) -> Renderer:
    """The renderer that speaks the model's chat format; `auto` knows a family by its control tokens.

    A chat server reads messages off a tape, for which the model's tokenizer only counts.
    """
    codec = Codec.from_file(tokenizer_file(home))
    if policy.remote is not None and policy.remote.api == "chat":
        from trivium.policy.remote import Tape

        return Tape(codec)
    return choose_renderer(policy.renderer, codec)


def make_budget(config: BudgetConfig) -> Budget:
    """A budget; unset limits keep Context-1's proportions."""
    return Budget.of(**config.model_dump())


def make_strategy(recipe: Recipe) -> Pruning:
    """The strategy of a recipe, with the notice."""
    return Pruning(make_budget(recipe.budget), recipe.editing.prune, guides=recipe.environment.prompt == "full")
