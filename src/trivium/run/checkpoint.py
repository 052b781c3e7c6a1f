"""From a trained step to a committed one: checkpoint folder, then one transaction that points at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.episode import Episode, Invalid, Json
from trivium.learn import Batch, Learner, checkpoint
from trivium.policy.engine import Weights
from trivium.policy.local import LocalEngine
from trivium.policy.weights import content_hash
from trivium.store import Member, RunStore

KEPT = 3


@dataclass
class Checkpointer:
    """Hands new weights to the engine and commits steps."""

    store: RunStore
    engine: LocalEngine

    def deliver(self, learner: Learner, step: int) -> Weights:
        """Give the engine the learner's weights; they are the `step`-th."""
        state = learner.model.state_dict()
        weights = Weights(content_hash(state), step, parent=self.engine.weights.id)
        self.engine.load_state(weights, state)
        return weights

    def commit(
        self,
        learner: Learner,
        step: int,
        members: Sequence[Member],
        dropped: Mapping[str, str],
        metrics: Mapping[str, float],
    ) -> None:
        """Write the checkpoint of a trained step, commit it, and let old checkpoints go."""
        path = self.store.write_checkpoint(step, lambda folder: checkpoint.write(learner, folder))
        cursor: Json = {"next_step": step + 1}
        self.store.commit_batch(
            step,
            members,
            weights=self.engine.weights.id,
            checkpoint=path,
            cursor=cursor,
            metrics=metrics,
            dropped=dropped,
        )
        self.store.collect_checkpoints(keep=KEPT)


def member_rows(episodes: Sequence[Episode], batch: Batch) -> tuple[list[Member], dict[str, str]]:
    """The ledger's rows: episodes that trained, and why each other one did not."""
    shares = {share.episode: share.advantage for share in batch.shares}
    members = [Member(e.id, shares[e.id], weights_of(e)) for e in episodes if e.id in shares]
    dropped = {
        e.id: "the rewards of its group are equal"
        for e in episodes
        if e.id not in shares and not isinstance(e.outcome, Invalid)
    }
    return members, dropped


def weights_of(episode: Episode) -> tuple[str, ...]:
    """Every weights id that sampled a token of an episode."""
    ids = (weights for node in episode.tree.actions() if node.sampled for weights in node.sampled.versions.ids)
    return tuple(dict.fromkeys(ids))
