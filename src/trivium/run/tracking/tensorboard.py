"""TensorBoard: event files in `RUN/tensorboard`, so that `tensorboard --logdir runs` shows every run.

Event files know no identity of a point: after a crash the last steps may be missing or half written. So the files of an
earlier sitting are removed, and every step of the store is written again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trivium.store import ordinal

from .tracker import label


class TensorBoard:
    """Writes scalars into `folder`; there is none before the first step."""

    last = -1

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None
        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Write and flush."""
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self._folder))
        for name, value in values.items():
            self._writer.add_scalar(label(name), value, ordinal(step))
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
