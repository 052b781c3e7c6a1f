"""Weights and their versions: named by their content, published whole or not at all, verified when read.

Always true: a folder `<store>/<id>` exists only complete (written beside, synced, renamed); what `read_weights` returns
hashes to the id that was asked for. Of names that share memory (a head tied to the embedding) the last in order is
kept, as Hugging Face does.
"""

import hashlib
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from trivium.episode import StoreError

from .engine import Weights

_TENSORS = "model.safetensors"
_RECORD = "weights.json"


def content_hash(state: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, types, shapes and bytes (32 hex digits); names that share memory count once."""
    digest = hashlib.sha256()
    for name, tensor in canonical(state).items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)};".encode())
        digest.update(tensor.cpu().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()[:32]


def canonical(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors in order of name, detached, contiguous, each memory once."""
    last = {(tensor.data_ptr(), tuple(tensor.shape)): name for name, tensor in sorted(state.items())}
    return {name: state[name].detach().contiguous() for name in sorted(last.values())}


def read_weights(weights: Weights) -> dict[str, Tensor]:
    """The tensors of published weights. Raises StoreError when they are missing, torn or altered."""
    if weights.path is None:
        raise StoreError(f"weights {weights.id} have no folder; publish them, or hand the state over with load_state")
    file = weights.path / _TENSORS
    try:
        state: dict[str, Tensor] = load_file(file)
    except (OSError, SafetensorError) as error:
        raise StoreError(f"weights {weights.id} cannot be read from {file} ({error}); publish them again") from error
    found = content_hash(state)
    if found != weights.id:
        raise StoreError(f"{file} holds weights {found}, not {weights.id}: it was altered; publish them again")
    return state


class WeightStore:
    """A folder of published weights: `<id>/model.safetensors` beside `<id>/weights.json`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, state: Mapping[str, Tensor], step: int = 0, parent: str | None = None) -> Weights:
        """Write weights; the same content again returns what was published first."""
        tensors = canonical(state)
        weights_id = content_hash(tensors)
        home = self.folder / weights_id
        if not home.exists():
            draft = self.folder / f".{weights_id}-{uuid.uuid4().hex}"
            draft.mkdir(parents=True)
            save_file(tensors, draft / _TENSORS, metadata={"format": "pt"})
            (draft / _RECORD).write_bytes(msgspec.json.encode(Weights(weights_id, step, parent)))
            _settle(draft, home)
        return self.find(weights_id)

    def find(self, weights_id: str) -> Weights:
        """The record of published weights. Raises StoreError when there is none."""
        home = self.folder / weights_id
        try:
            record = msgspec.json.decode((home / _RECORD).read_bytes(), type=Weights)
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreError(f"the store {self.folder} has no whole weights {weights_id} ({error})") from error
        return msgspec.structs.replace(record, path=home)

    def fetch(self, weights_id: str) -> dict[str, Tensor]:
        """The tensors, verified. Raises StoreError when they are missing, torn or altered."""
        return read_weights(self.find(weights_id))


def _settle(draft: Path, home: Path) -> None:
    """Sync the draft to disk and give it its name; another writer of the same content may have been first."""
    for path in (*draft.iterdir(), draft):
        _sync(path)
    try:
        draft.rename(home)
    except OSError:
        shutil.rmtree(draft)
        if not home.exists():
            raise
    _sync(home.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
