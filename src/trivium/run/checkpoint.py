"""From a trained step to a committed one: checkpoint folder, then one transaction that points at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.learn import Learner, checkpoint
from trivium.policy import Engine, Weights
from trivium.policy.lora import learned, weights_id
from trivium.store import Member, Note, RunStore, ordinal


@dataclass
class Checkpointer:
    """Hands new weights to the engine and commits steps."""

    store: RunStore
    engine: Engine
    keep: int
    """Checkpoints that stay on disk, the newest ones."""

    def deliver(self, learner: Learner, step: int) -> Weights:
        """Give the engine the learner's weights after a step."""
        weights = Weights(weights_id(learner.model), ordinal(step), parent=self.engine.weights.id)
        self.engine.load(weights, learned(learner.model))
        return weights

    def commit(
        self,
        learner: Learner,
        step: int,
        members: Sequence[Member],
        dropped: Mapping[str, str],
        metrics: Mapping[str, float],
        notes: Sequence[Note] = (),
    ) -> None:
        """Write the checkpoint of a trained step, commit it, and let old checkpoints go."""
        path = self.store.checkpoints.write(step, lambda folder: checkpoint.write(learner, folder))
        self.store.ledger.commit_batch(
            step,
            members,
            weights=self.engine.weights.id,
            parent=self.engine.weights.parent,
            checkpoint=path,
            metrics=metrics,
            dropped=dropped,
            notes=notes,
        )
        self.store.checkpoints.collect(keep=self.keep)
