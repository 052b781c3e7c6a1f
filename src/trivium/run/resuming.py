"""Going on from a checkpoint, which must be what was written.

Always true: a resumed learner and its engine stand at the weights that the ledger names.
"""

from pathlib import Path

from trivium.episode import ConfigError, StoreError
from trivium.learn import Learner, checkpoint
from trivium.store import Commit, RunStore

from .checkpoint import Checkpointer


def resumed(learner: Learner, checkpointer: Checkpointer) -> int:
    """Bring learner and engine to the run's last commit; returns the number of steps that are done.

    Raises StoreError, with the way out, when its checkpoint is torn, gone or of another model; ConfigError when its
    weights are not those of the ledger.
    """
    commit = checkpointer.store.ledger.latest()
    if commit is None:
        return 0
    _restore(learner, checkpointer.store, commit)
    weights = checkpointer.deliver(learner, commit.step)
    if weights.id != commit.weights:
        raise ConfigError(
            f"checkpoint {commit.checkpoint} gives weights {weights.id}, the ledger says {commit.weights}; "
            "the run folder was altered: start a new run"
        )
    return commit.steps_done


def _restore(learner: Learner, store: RunStore, commit: Commit) -> None:
    try:
        checkpoint.load(learner, store.folder / commit.checkpoint)
    except checkpoint.CheckpointError as error:
        others = (other for other in store.ledger.commits() if other.step < commit.step)
        kept = [other.steps_done for other in others if (store.folder / other.checkpoint).is_dir()]
        start = f" from an earlier checkpoint, with --set policy.model={store.folder}@{kept[-1]}" if kept else ""
        raise StoreError(f"{error.what}; begin a new run{start}") from error


def require_whole(home: Path) -> None:
    """Refuse a checkpoint of a run that is not what was written; any other folder is its owner's. Raises StoreError."""
    run = home.parent.parent
    if home.parent.name != "checkpoints" or not (run / "run.db").is_file():
        return
    try:
        checkpoint.verify(home)
    except checkpoint.CheckpointError as error:
        raise StoreError(f"{error.what}; name another checkpoint by {run}@STEP") from error
