"""The policy of a recipe, opened: model (policy_model.py), renderer (rendering.py), engine and harness."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trivium.config import Recipe
from trivium.episode import ConfigError
from trivium.harness import Budget, Harness, Pruning
from trivium.policy import Engine, Policy
from trivium.policy.local import LocalEngine
from trivium.policy.rendering import Renderer

from .budgeting import make_budget, make_strategy
from .policy_folder import Tell, policy_folder, silent
from .policy_model import open_model
from .remote import remote_engine, with_model
from .rendering import make_renderer


@dataclass
class OpenedPolicy:
    """What acts and what learns. `engine` samples from its own copy of the weights of `model`, or is a server."""

    recipe: Recipe
    model: Any
    """What a learner trains; None where a server decides."""
    folder: Path
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


def open_policy(recipe: Recipe, tell: Tell = silent) -> OpenedPolicy:
    """Load the model, or find the server, and build what acts with it; `tell` hears what takes long.

    Raises ConfigError in one sentence where something does not fit, StoreError for a checkpoint that is torn.
    """
    if recipe.policy.remote is not None:
        return _open_remote(recipe, tell)
    import torch

    torch.set_num_threads(recipe.policy.threads or os.cpu_count() or 1)
    folder = policy_folder(recipe.policy.model, tell)
    model = open_model(recipe.policy, folder, recipe.seed, tell)
    engine = LocalEngine(
        model,
        max_batch=recipe.policy.batch,
        max_cached_tokens=recipe.policy.cached_tokens,
        dtype=recipe.policy.dtype,
    )
    budget = make_budget(recipe.budget)
    if budget.window > engine.window:
        raise ConfigError(f"budget.window is {budget.window}, the model reads {engine.window} tokens; lower the window")
    return OpenedPolicy(recipe, model, folder, make_renderer(recipe.policy, folder), engine, budget)


def _open_remote(recipe: Recipe, tell: Tell) -> OpenedPolicy:
    recipe = with_model(recipe)
    folder = policy_folder(recipe.policy.model, tell)
    renderer = make_renderer(recipe.policy, folder)
    engine = remote_engine(recipe.policy, renderer)
    return OpenedPolicy(recipe, None, folder, renderer, engine, make_budget(recipe.budget))
