"""Checkpoint folders: whole or absent, and only those that a commit names are real.

Always true: a folder in `checkpoints/` without the suffix `.partial` was written to the end and synced to the disk
before it got its name. One that no commit names is what a crash left before its commit: ignored, and collected.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from trivium.episode import StoreError

from .database import Database
from .ledger import Ledger
from .whole import write_folder


def checkpoint_name(step: int) -> str:
    """The folder of the checkpoint after a step, relative to the run."""
    return f"checkpoints/step-{step:06d}"


class Checkpoints:
    """The folder `checkpoints/` of a run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def write_checkpoint(self, step: int, write: Callable[[Path], None]) -> str:
        """Let `write` fill a folder, sync it and name it; returns its path relative to the run, for `commit_batch`.

        A folder of the same step that no commit names is replaced. Raises StoreError when a commit names it.
        """
        name = checkpoint_name(step)
        folder = self._db.path.parent / name
        if name in {commit.checkpoint for commit in Ledger(self._db).commits()}:
            raise StoreError(f"{folder} belongs to a committed step; resume from the latest commit")
        shutil.rmtree(folder, ignore_errors=True)
        write_folder(folder, write)
        return name

    def collect_checkpoints(self, *, keep: int | None = None) -> list[str]:
        """Delete folders that no commit names and, with `keep`, all but the newest `keep` (at least 1) that one does.

        Returns what was deleted. Call it when no checkpoint is being written, such as at start-up or after a commit.
        """
        if keep is not None and keep < 1:
            raise ValueError(f"keep is {keep}; the latest checkpoint is always kept, so it must be at least 1")
        named = [commit.checkpoint for commit in Ledger(self._db).commits()]
        kept = set(named if keep is None else named[-keep:])
        root = self._db.path.parent
        gone = [f"checkpoints/{path.name}" for path in sorted((root / "checkpoints").iterdir())]
        gone = [name for name in gone if name not in kept]
        for name in gone:
            shutil.rmtree(root / name, ignore_errors=True)
        return gone
