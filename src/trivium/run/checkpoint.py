"""From a trained step to a committed one: checkpoint folder, then one transaction that points at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trivium.episode import Episode, StoreError
from trivium.learn import Batch, Learner, checkpoint, digest
from trivium.policy import Engine, Weights
from trivium.policy.lora import learned, weights_id
from trivium.store import Commit, Member, Note, RunStore

from .rollout import Rolled


@dataclass
class Checkpointer:
    """Hands new weights to the engine and commits steps."""

    store: RunStore
    engine: Engine
    keep: int
    """Checkpoints that stay on disk, the newest ones."""

    def deliver(self, learner: Learner, step: int) -> Weights:
        """Give the engine the learner's weights; they are the `step`-th."""
        weights = Weights(weights_id(learner.model), step, parent=self.engine.weights.id)
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
        path = self.store.write_checkpoint(step, lambda folder: checkpoint.write(learner, folder))
        self.store.commit_batch(
            step,
            members,
            weights=self.engine.weights.id,
            parent=self.engine.weights.parent,
            checkpoint=path,
            metrics=metrics,
            dropped=dropped,
            notes=notes,
        )
        self.store.collect_checkpoints(keep=self.keep)


def restore(learner: Learner, store: RunStore, commit: Commit) -> None:
    """Load what a commit points at. Raises StoreError, with the way out, when it is torn, gone or of another model."""
    try:
        checkpoint.load(learner, store.folder / commit.checkpoint)
    except StoreError as error:
        others = (other for other in store.commits() if other.step < commit.step)
        kept = [other.step + 1 for other in others if (store.folder / other.checkpoint).is_dir()]
        start = f" from an earlier checkpoint, with --set policy.model={store.folder}@{kept[-1]}" if kept else ""
        raise StoreError(f"{str(error).rpartition(';')[0]}; begin a new run{start}") from error


def require_whole(home: Path) -> None:
    """Refuse a checkpoint of a run that is not what was written; any other folder is its owner's. Raises StoreError."""
    run = home.parent.parent
    if home.parent.name != "checkpoints" or not (run / "run.db").is_file():
        return
    try:
        checkpoint.verify(home)
    except StoreError as error:
        raise StoreError(f"{str(error).rpartition(';')[0]}; name another checkpoint by {run}@STEP") from error


def member_rows(groups: Sequence[Rolled], batch: Batch) -> tuple[list[Member], dict[str, str]]:
    """The ledger's rows: episodes that trained, and why each other one did not."""
    shares = {share.episode: share for share in batch.shares}
    members, dropped = [], {}
    for group in groups:
        why = f"its group stayed short: {group.missing}" if group.missing else "the rewards of its group are equal"
        for episode in group.episodes:
            if (share := shares.get(episode.id)) is not None:
                members.append(Member(episode.id, share.advantage, weights_of(episode), digest(share.segments)))
            else:
                dropped[episode.id] = why
    return members, dropped


def weights_of(episode: Episode) -> tuple[str, ...]:
    """Every weights id that sampled a token of an episode."""
    ids = (weights for node in episode.tree.actions() if node.sampled for weights in node.sampled.versions.ids)
    return tuple(dict.fromkeys(ids))
