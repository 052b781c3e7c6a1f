"""A rubric: named terms, each a function of an episode, with weights; their weighted sum is the reward.

Always true: every term yields exactly one finite number, or the episode has no reward at all (JudgeError: the episode
is invalid and is redrawn, never scored 0). The total is the event named ``reward``.
"""

import math
import time
from collections.abc import Callable
from numbers import Real

import msgspec

from trivium.episode import ConfigError, Episode, JudgeError, Reward

TOTAL = "reward"


class Term(msgspec.Struct, frozen=True):
    """A named function of an episode; with weight 0 it is only logged."""

    name: str
    fn: Callable[[Episode], float]
    weight: float = 1.0


class Rubric:
    """Weighted terms. Raises ConfigError for a name that is taken, or a weight that is not finite."""

    def __init__(self, *terms: Term, source: str = "rubric") -> None:
        names = [TOTAL, *(term.name for term in terms)]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f"the rubric has two terms named {name}; name each once ({TOTAL} is the total)")
        for term in terms:
            if not math.isfinite(term.weight):
                raise ConfigError(f"term {term.name} has weight {term.weight}; a weight is a finite number")
        self.terms = terms
        self._source = source

    def __call__(self, episode: Episode) -> list[Reward]:
        """One event per term and the total. Raises JudgeError, naming the term, when one cannot be computed."""
        now = time.time()
        values = {term.name: _value(term, episode) for term in self.terms}
        total = sum(term.weight * values[term.name] for term in self.terms)
        if not math.isfinite(total):
            raise JudgeError(f"the total of episode {episode.id} is {total} from {values}; fix the weights")
        return [Reward(name, value, self._source, now) for name, value in [*values.items(), (TOTAL, total)]]


def _value(term: Term, episode: Episode) -> float:
    try:
        value = term.fn(episode)
    except Exception as error:  # the judge boundary: whatever a user's term raises
        raise JudgeError(
            f"term {term.name} failed on episode {episode.id} with {type(error).__name__}: {error}; fix the term"
        ) from error
    if not isinstance(value, Real) or not math.isfinite(value):
        raise JudgeError(f"term {term.name} gave {value!r} for episode {episode.id}; a term is a finite number")
    return float(value)
