"""The plan: an episode's id, group, place and seed follow from the recipe's seed, so one of another run shows; so does
the epoch by whose reward it was judged."""

import re
from collections.abc import Iterator

from trivium.config import Recipe
from trivium.episode import Episode
from trivium.harness import derive_seed
from trivium.run.plan import rewarded_as, turn
from trivium.watch import Finding

from .subject import Rules, StepRecord

KIND = "plan"
_NAME = re.compile(r"(?P<group>(?P<step>\d{5,})-(?P<place>\d{3,}))-(?P<number>\d{3,})(r\d+)?")


def planned(step: StepRecord, rules: Rules) -> Iterator[Finding]:
    """Names, groups and seeds of a step's episodes; members of a group share a task."""
    tasks: dict[str, str] = {}
    for episode in step.episodes.values():
        found = _NAME.fullmatch(episode.id)
        if found is None or int(found["step"]) != step.number or found["group"] != episode.group:
            text = f"episode {episode.id} of group {episode.group} has no place in the plan of step {step.ordinal}"
            yield step.finding(KIND, text, episode.id)
        if episode.seed != derive_seed(rules.recipe.seed, episode.id):
            text = f"episode {episode.id} has seed {episode.seed}, which is not that of run seed {rules.recipe.seed}"
            yield step.finding(KIND, text, episode.id)
        first = tasks.setdefault(episode.group, episode.task.id)
        if episode.task.id != first:
            text = f"episode {episode.id} has task {episode.task.id}, others of group {episode.group} have {first}"
            yield step.finding(KIND, text, episode.id)


def epoch_of(episode: Episode, recipe: Recipe, tasks: int) -> int | None:
    """The epoch by whose reward an episode is judged; None for one that has no place in a plan."""
    found = _NAME.fullmatch(episode.id)
    if found is None:
        return None
    epoch, _ = turn(tasks, recipe.schedule.groups, int(found["step"]), int(found["place"]))
    return rewarded_as(epoch, recipe.schedule.epochs)
