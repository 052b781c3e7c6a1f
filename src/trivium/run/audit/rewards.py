"""Rewards: the total of an episode is the sum of its terms, and the terms are those of what it did.

Who judged is the `source` of a reward event, and says by which rule:

    context1    the Context-1 reward under the recipe's weights, its terms derived again from the episode
    functions   terms added up, less what broken calls cost; of the terms only that cost can be derived again
    any other   a rubric of its own: only that the total is the reward that was trained

Term events that came later (feedback) are not what was trained; the first of each term is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from trivium.envs import FUNCTIONS
from trivium.envs.search import CONTEXT1, gold, make_reward, stored_record
from trivium.episode import Failed, Scored
from trivium.reward import beta2, malformed_penalty
from trivium.watch import Finding

from .episode import Lived
from .planned import epoch_of

CLOSE = 1e-9
MEASURES = frozenset({"reward", "p_malformed"})
Again = Mapping[str, float] | str
"""Terms that were derived again; or why none could be."""


def rewards(lived: Lived, tasks: int | None, counts: Counter[str]) -> Iterator[Finding]:
    """The reward of an episode of a run of so many `tasks`; `counts` tells how many were derived again, and why others
    were not."""
    first: dict[str, float] = {}
    sources = {event.source for event in lived.episode.rewards if event.term == "reward"}
    for event in lived.episode.rewards:
        first.setdefault(event.term, event.value)
    outcome = lived.episode.outcome
    if not isinstance(outcome, Scored | Failed):
        return
    if outcome.reward != first.get("reward"):
        text = f"episode {lived.episode.id} was trained on reward {outcome.reward}, its terms say {first.get('reward')}"
        yield lived.finding("reward", text)
    again = _again(lived, first, sources, tasks)
    if isinstance(again, str):
        counts[f"rewards not derived again: {again}"] += 1
        return
    counts["rewards derived again"] += 1
    for term, value in again.items():
        found = first.get(term)
        if found is None or not abs(found - value) <= CLOSE:
            text = f"{term} of episode {lived.episode.id} is {found}, what it did gives {value:.6g}"
            yield lived.finding("reward" if term == "reward" else "term", text)


def _again(lived: Lived, first: Mapping[str, float], sources: set[str], tasks: int | None) -> Again:
    if sources == {FUNCTIONS}:
        cost = malformed_penalty(lived.episode.broken_calls)
        own = sum(value for term, value in first.items() if term not in MEASURES)
        return {"p_malformed": cost, "reward": own - cost}
    if sources == {CONTEXT1}:
        return _context1(lived, tasks)
    return f"judged by {', '.join(sorted(sources)) or 'nobody'}"


def _context1(lived: Lived, tasks: int | None) -> Again:
    recipe, episode = lived.rules.recipe, lived.episode
    epoch = None if tasks is None else epoch_of(episode, recipe, tasks)
    if epoch is None:
        return "the run did not record its epochs"
    record = stored_record(episode, titles=recipe.environment.shown.titles)
    if isinstance(record, str):
        return record
    weight = beta2(epoch, recipe.schedule.epochs, start=recipe.reward.beta2_start, end=recipe.reward.beta2_end)
    return make_reward(recipe.reward).terms(gold(episode.task), record, weight)
