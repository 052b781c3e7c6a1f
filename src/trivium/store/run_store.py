"""A run is one folder: `run.db`, `checkpoints/`, `recipe.toml`, `tokenizer/`, `report.json`.

Always true: at most one process writes a run; any number may read it at the same time. A run that ends by an error
before it holds an episode or a step leaves no trace. Needs a local file system (SQLite's write-ahead log does not work
over a network) of a POSIX system.
"""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from trivium.episode import StoreError

from .address import run_at
from .atomic import write_file, write_folder
from .checkpoints import Checkpoints
from .database import Database
from .episodes import Episodes
from .journal import Journal
from .ledger import Ledger
from .lock import FolderLock


class RunStore:
    """The run in `folder`, opened for writing (made if absent) or `readonly`. Close it, or use it in a `with`, which
    also takes away a run that was begun here and refused (`withdraw`).

    Raises StoreError when another process writes it, when its schema is newer, or when it cannot be opened.
    """

    def __init__(self, folder: Path | str, *, readonly: bool = False) -> None:
        self.folder = Path(folder)
        self._lock: FolderLock | None = None
        self._found = None if readonly else _names(self.folder)
        if readonly and not (self.folder / "run.db").is_file():
            step = run_at(str(folder))[1] is not None
            raise StoreError(f"there is no run in {self.folder}; {'leave @STEP out' if step else 'check the path'}")
        if not readonly:
            self._lock = _own(self.folder)
        try:
            self._db = Database(self.folder / "run.db", readonly=readonly)
        except StoreError:
            self._unlock()
            raise
        self.episodes, self.journal, self.ledger = Episodes(self._db), Journal(self._db), Ledger(self._db)
        self.checkpoints = Checkpoints(self.folder, self.ledger)

    def write_recipe(self, text: str) -> None:
        """Keep the recipe of this run. Raises StoreError when the run has another one already."""
        if self.recipe not in (None, text):
            raise StoreError(f"{self.folder} was made by another recipe; resume it with its own recipe.toml")
        write_file(self.folder / "recipe.toml", text)

    @property
    def recipe(self) -> str | None:
        """The text of `recipe.toml`, if it was written."""
        path = self.folder / "recipe.toml"
        return path.read_text() if path.exists() else None

    def write_report(self, text: str) -> None:
        """Replace `report.json`, whole or not at all."""
        write_file(self.folder / "report.json", text)

    def keep_folder(self, name: str, fill: Callable[[Path], None]) -> None:
        """Let `fill` fill a folder of the run, whole or not at all; one that is there already stands."""
        if not (self.folder / name).exists():
            write_folder(self.folder / name, fill)

    def close(self) -> None:
        """Fold the log into `run.db` and give the folder up (twice is harmless)."""
        self._db.close()
        self._unlock()

    def withdraw(self) -> None:
        """Close it; where nothing was kept since it was begun, remove what was written, so that the name is free."""
        nothing = self._holds_nothing()
        self._db.close()
        if nothing:
            _remove(self.folder, _OWN - (self._found or frozenset()), itself=self._found is None)
        self._unlock()

    def _holds_nothing(self) -> bool:
        """True for a run that was begun here, is still open and has neither an episode nor a step."""
        if self._lock is None or "run.db" in (self._found or ()):
            return False
        try:
            return self.ledger.latest() is None and not self.episodes.count_lives()
        except StoreError:
            return False

    def __enter__(self) -> "RunStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.withdraw()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


_OWN = frozenset({"run.db", "run.db-wal", "run.db-shm", "lock", "checkpoints", "recipe.toml", "tokenizer"})
"""What a run writes before its first episode or step."""


def _names(folder: Path) -> frozenset[str] | None:
    """What lies in a folder; None: there is no folder."""
    try:
        return frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else None
    except OSError as error:
        raise StoreError(f"the run {folder} cannot be read ({error}); choose a folder that can") from error


def _remove(folder: Path, names: Iterable[str], *, itself: bool) -> None:
    """Remove these from a folder, then the folder `itself` where nothing else came into it."""
    for path in (folder / name for name in names):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if itself and not any(folder.iterdir()):
        folder.rmdir()


def _own(folder: Path) -> FolderLock:
    try:
        (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        return FolderLock(folder)
    except OSError as error:
        raise StoreError(f"the run {folder} cannot be made or written ({error}); choose a folder that can") from error
