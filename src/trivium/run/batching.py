"""From the episodes of a step to its batch: one function, by which a step is trained and by which an audit makes it
again.

Always true: the batch follows from the recipe, the number of the step, its valid episodes in the order of the plan, and
what the baseline remembers of the steps before.
"""

from collections import Counter
from collections.abc import Sequence

from trivium.config import Recipe
from trivium.episode import Episode
from trivium.harness import derive_seed
from trivium.learn import Baseline, Batch, make_batch

from .shuffling import shuffled


def step_batch(recipe: Recipe, episodes: Sequence[Episode], step: int, baseline: Baseline) -> Batch:
    """The batch of a step; `baseline` has seen the steps before, and this one afterwards.

    Raises DataError and ConfigError as `make_batch` does.
    """
    episodes = whole(episodes, recipe.schedule.group_size)
    if recipe.learn.shuffle_rewards:
        episodes = shuffled(episodes, derive_seed(recipe.seed, "shuffle", step))
    return make_batch(
        episodes,
        recipe.policy.name,
        baseline=baseline,
        denominator=recipe.learn.denominator,
        episode_tokens=recipe.learn.episode_tokens,
    )


def whole(episodes: Sequence[Episode], size: int) -> list[Episode]:
    """Those of groups that have `size` valid episodes: a group that stayed short leaves, and trains at no step."""
    members = Counter(episode.group for episode in episodes)
    return [episode for episode in episodes if members[episode.group] >= size]
