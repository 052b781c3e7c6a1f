"""From [budget] and [editing] to what bounds a context, and what edits it."""

from trivium.config import BudgetConfig, Recipe
from trivium.harness import Budget, Pruning


def make_budget(config: BudgetConfig) -> Budget:
    """A budget; unset limits keep Context-1's proportions."""
    return Budget.of(
        config.window,
        soft=config.soft,
        hard=config.hard,
        per_call=config.per_call,
        reply=config.reply,
        turns=config.turns,
        seconds=config.seconds,
        judge_seconds=config.judge_seconds,
    )


def make_strategy(recipe: Recipe) -> Pruning:
    """The strategy of a recipe, with the notice."""
    return Pruning(make_budget(recipe.budget), recipe.editing.prune, guides=recipe.environment.prompt == "full")
