"""Atomic writes: a file or folder is whole under its name, or absent, whenever the process or the machine dies.

Written under a temporary name, synced to disk, then renamed.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from trivium.episode import StoreError


def write_file(path: Path, text: str) -> None:
    """Replace a file. Raises StoreError when the disk fails; then the old one stands."""
    draft = path.with_name(f".{path.name}.partial")
    try:
        draft.write_text(text, encoding="utf-8")
        _settle(draft, path)
    except OSError as error:
        raise _failure(path, error) from error


def write_folder(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` fill a new folder. Raises StoreError when the disk fails; then, or if `fill` raises, none."""
    draft = path.with_name(f"{path.name}.partial")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        fill(draft)
        _readable_as(draft)
        _settle(draft, path)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise _failure(path, error) from error
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _readable_as(folder: Path) -> None:
    """Give files the mode that the user's umask gives: safetensors writes for its owner alone."""
    for item in folder.rglob("*"):
        if item.is_file():
            item.chmod(folder.stat().st_mode & 0o666)


def _settle(draft: Path, path: Path) -> None:
    """Bring a draft, and all in it, onto the disk, and give it its name there."""
    for item in (*draft.rglob("*"), draft):
        _sync(item)
    draft.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failure(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path} was not written ({error}); free the disk and resume")
