"""Checkpoint folders: whole or absent, and only those that a commit names count.

Always true: a folder in `checkpoints/` without the suffix `.partial` was written to the end and synced to the disk
before it got its name. One that no commit names is what a crash left before its commit: ignored, and collected.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from trivium.episode import StoreError

from .atomic import write_folder
from .ledger import Ledger


def checkpoint_name(step: int) -> str:
    """The folder of the checkpoint after a step, relative to the run."""
    return f"checkpoints/step-{step:06d}"


class Checkpoints:
    """The folder `checkpoints/` of a run."""

    def __init__(self, run: Path, ledger: Ledger) -> None:
        self._run, self._ledger = run, ledger

    def write(self, step: int, fill: Callable[[Path], None]) -> str:
        """Let `fill` fill a folder, sync it and name it; returns its path relative to the run, for `commit_batch`.

        A folder of the same step that no commit names is replaced. Raises StoreError when a commit names it.
        """
        name = checkpoint_name(step)
        folder = self._run / name
        if name in {commit.checkpoint for commit in self._ledger.commits()}:
            raise StoreError(f"{folder} belongs to a committed step; resume from the latest commit")
        shutil.rmtree(folder, ignore_errors=True)
        write_folder(folder, fill)
        return name

    def collect(self, *, keep: int | None = None) -> list[str]:
        """Delete folders that no commit names and, with `keep`, all but the newest `keep` (at least 1) that one does.

        Returns what was deleted. Call it when no checkpoint is being written, such as at start-up or after a commit.
        """
        if keep is not None and keep < 1:
            raise ValueError(f"keep is {keep}; the latest checkpoint is always kept, so it must be at least 1")
        named = [commit.checkpoint for commit in self._ledger.commits()]
        kept = set(named if keep is None else named[-keep:])
        gone = [f"checkpoints/{path.name}" for path in sorted((self._run / "checkpoints").iterdir())]
        gone = [name for name in gone if name not in kept]
        for name in gone:
            shutil.rmtree(self._run / name, ignore_errors=True)
        return gone
