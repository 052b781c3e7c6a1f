"""A run is one folder: `run.db`, `checkpoints/`, `recipe.toml`, `report.json`.

Always true: at most one process writes a run; any number may read it at the same time. Needs a local file system
(SQLite's write-ahead log does not work over a network) of a POSIX system.
"""

import os
from pathlib import Path
from types import TracebackType

from trivium.episode import StoreError

from .checkpoints import Checkpoints
from .database import Database
from .episodes import Episodes
from .journal import Journal
from .ledger import Ledger
from .lock import FolderLock
from .rewards import Rewards


class RunStore(Episodes, Rewards, Journal, Ledger, Checkpoints):
    """The run in `folder`, opened for writing (made if absent) or `readonly`. Close it, or use it in a `with`.

    Raises StoreError when another process writes it, when its schema is newer, or when it cannot be opened.
    """

    def __init__(self, folder: Path | str, *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self._lock: FolderLock | None = None
        if readonly and not (self.folder / "run.db").is_file():
            raise StoreError(f"there is no run in {self.folder}; check the path")
        if not readonly:
            self._lock = _own(self.folder)
        try:
            super().__init__(Database(self.folder / "run.db", readonly=readonly))
        except StoreError:
            self._unlock()
            raise

    def write_recipe(self, text: str) -> None:
        """Keep the recipe of this run. Raises StoreError when the run has another one already."""
        if self.recipe not in (None, text):
            raise StoreError(f"{self.folder} was made by another recipe; resume it with its own recipe.toml")
        self._write("recipe.toml", text)

    @property
    def recipe(self) -> str | None:
        """The text of `recipe.toml`, if it was written."""
        path = self.folder / "recipe.toml"
        return path.read_text() if path.exists() else None

    def write_report(self, text: str) -> None:
        """Replace `report.json`, whole or not at all."""
        self._write("report.json", text)

    def close(self) -> None:
        """Fold the log into `run.db` and give the folder up (twice is harmless)."""
        self._db.close()
        self._unlock()

    def __enter__(self) -> "RunStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _write(self, name: str, text: str) -> None:
        draft = self.folder / f".{name}.partial"
        try:
            with draft.open("w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.folder / name)
        except OSError as error:
            raise StoreError(f"{self.folder / name} was not written ({error}); check the disk and resume") from error


def _own(folder: Path) -> FolderLock:
    try:
        (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        return FolderLock(folder)
    except OSError as error:
        raise StoreError(f"the run {folder} cannot be made or written ({error}); choose a folder that can") from error
