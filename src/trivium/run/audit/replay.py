"""The batches of a run, made again in the order of its steps.

Always true: a baseline that remembers has seen here what it had seen there, from the first step on; after a step whose
batch cannot be made again it has not, and what it would say of later ones is not told.
"""

from dataclasses import dataclass, field

from trivium.config import Recipe
from trivium.episode import TriviumError
from trivium.learn import Baseline, Batch
from trivium.run.batching import step_batch
from trivium.run.learning import make_baseline
from trivium.watch import Finding

from .subject import StepRecord


@dataclass
class Replay:
    """Give it every step once, in order; steps may be left out where the baseline remembers nothing (`remembers`)."""

    recipe: Recipe
    lost: str | None = field(default=None, init=False)
    """Why no more batches are made."""
    _baseline: Baseline = field(init=False)

    def __post_init__(self) -> None:
        self._baseline = make_baseline(self.recipe.learn)

    @property
    def remembers(self) -> bool:
        """Does an advantage depend on the steps before?"""
        return self.recipe.learn.baseline == "running_mean"

    def batch(self, step: StepRecord) -> Batch | Finding | None:
        """The batch of a step, or why it cannot be made; None when one before it could not (`lost`)."""
        if self.lost is not None:
            return None
        try:
            return step_batch(self.recipe, step.valid, step.number, self._baseline)
        except (TriviumError, ValueError, IndexError) as error:
            if self.remembers:
                self.lost = f"the baseline remembers step {step.ordinal}, whose batch cannot be made again"
            return step.finding("rows", f"the batch of step {step.ordinal} cannot be cut again: {error}")
