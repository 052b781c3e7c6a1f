"""One writer per run: an advisory lock on the file `lock` in the run's folder, which dies with its owner.

Always true: the operating system releases the lock when the process ends, however it ends, so a lock that is held has a
living owner and a dead owner's lock is simply taken. A forked child does not keep its parent's lock alive.
"""

import fcntl
import os
import socket
import weakref
from pathlib import Path

from trivium.episode import StoreError


class FolderLock:
    """Exclusive ownership of a run's folder, from construction until `release`. Raises StoreError when it is taken."""

    def __init__(self, folder: Path) -> None:
        self._fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(self._fd, 200, 0).decode(errors="replace").strip() or "an unknown process"
            self.release()
            raise StoreError(
                f"the run {folder} is being written by {owner}; stop it, open the run for reading only, "
                "or choose another folder"
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        _held.add(self)

    def release(self) -> None:
        """Give the folder up (twice is harmless)."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


_held: "weakref.WeakSet[FolderLock]" = weakref.WeakSet()


def _release_in_child() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_release_in_child)
