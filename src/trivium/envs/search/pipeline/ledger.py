"""The ledger of a making: one JSON line for each number that was tried, written whole or not at all.

Always true: a line is on the disk before its number counts as done; a torn last line (kill -9 in mid-write) is cut off
when the file is opened again, and its number is tried again. The first line says what is being made: another making
does not go on in the same file.
"""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from trivium.episode import ConfigError, DataError, StoreError

from .item import Item


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a number: an item (the last one tried, if any), and the stage and reason if it was refused."""

    number: int
    item: Item | None = None
    refused: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the verifier let it pass."""
        return self.item is not None and not self.refused


class _Head(msgspec.Struct, frozen=True):
    making: str


class Ledger:
    """An open ledger. Raises ConfigError when the file belongs to another making, or another process writes it."""

    def __init__(self, path: Path, making: str) -> None:
        self.path = path
        self.lines: dict[int, Line] = {}
        self._file = self._locked(path)
        try:
            self._read(making)
        except BaseException:
            self._file.close()
            raise

    def put(self, line: Line) -> None:
        """Write a line and bring it onto the disk. Raises StoreError when the disk fails."""
        self._append(line)
        self.lines[line.number] = line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _locked(self, path: Path) -> BinaryIO:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b", buffering=0)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written ({error.strerror}); choose another folder") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise ConfigError(f"another process makes tasks in {path.parent}; wait for it") from error
        return file

    def _read(self, making: str) -> None:
        self._file.seek(0)
        whole, _, torn = self._file.read().rpartition(b"\n")
        if torn:
            self._file.truncate(len(whole) + bool(whole))
        if not whole:
            self._append(_Head(making))
            return
        head, *rest = whole.split(b"\n")
        for line in self._decoded(head, rest, making):
            self.lines[line.number] = line

    def _decoded(self, head: bytes, rest: list[bytes], making: str) -> Iterator[Line]:
        try:
            made = msgspec.json.decode(head, type=_Head).making
            lines = [msgspec.json.decode(line, type=Line) for line in rest]
        except msgspec.MsgspecError as error:
            raise DataError(f"{self.path} was altered ({error}); remove the folder and begin again") from error
        if made != making:
            raise ConfigError(f"{self.path} is of another making (corpus or settings differ); choose another folder")
        yield from lines

    def _append(self, line: Line | _Head) -> None:
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self.path} was not written ({error}); free the disk and run the command again"
            ) from error


def read_lines(path: Path) -> list[Line]:
    """The whole lines of a ledger, in the order of numbers. Raises DataError when there is none, or it was altered."""
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        lines = [msgspec.json.decode(line, type=Line) for line in whole.split(b"\n")[1:]]
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); give the folder of trivium tasks") from error
    except msgspec.MsgspecError as error:
        raise DataError(f"{path} was altered ({error}); make the tasks again") from error
    return sorted(lines, key=lambda line: line.number)
