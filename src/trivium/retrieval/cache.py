"""Built indices on disk, by content.

An entry is a file of plain arrays under `$TRIVIUM_CACHE` (else `~/.cache/trivium`), named by the hash of all that it
depends on, so it is never stale. It appears whole or not at all, holds no code (numpy with pickling off), and may be
deleted at any time: an entry that is missing, torn or of another shape is built again and written over.
"""

import logging
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from trivium.store import cache_home

log = logging.getLogger(__name__)
Arrays = dict[str, NDArray[np.generic]]
BROKEN = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)


def _arrays(raw: BinaryIO) -> Arrays:
    """The arrays of an open entry; one of `BROKEN` when it is none."""
    file = np.load(raw, allow_pickle=False)
    if not isinstance(file, NpzFile):
        raise ValueError("it is not an archive of arrays")
    with file:
        return {name: file[name] for name in file.files}


class Cache:
    """A folder of array files."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_home()

    def load(self, key: str) -> Arrays | None:
        """The arrays stored under `key`, or None when there are none that can be read."""
        path = self.folder / f"{key}.npz"
        try:
            with path.open("rb") as raw:
                return _arrays(raw)
        except FileNotFoundError:
            return None
        except BROKEN as error:
            log.warning("The cache entry %s cannot be read (%s) and is built again.", path, error)
            return None

    def store(self, key: str, arrays: Arrays) -> None:
        """Writes `arrays` under `key` in one step; a folder that cannot be written costs a warning, not the work."""
        temporary: Path | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".tmp", delete=False) as file:
                temporary = Path(file.name)
                np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub takes names for its own flag
            temporary.replace(self.folder / f"{key}.npz")
        except OSError as error:
            log.warning(
                "The index cannot be cached in %s (%s); set TRIVIUM_CACHE to a writable folder.", self.folder, error
            )
            if temporary:
                temporary.unlink(missing_ok=True)
