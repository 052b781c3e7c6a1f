"""Checkpoints of a learner: everything that the next step depends on, in files that hold no code.

    model.safetensors      parameters and buffers, in their own type; names that share memory once (as Hugging Face)
    config.json            of a Hugging Face model, so that the folder loads with `from_pretrained`
    adapter_*              instead of both, of a model with an adapter (LoRA): the adapter alone in peft's format, with
                           the name and the content hash of its base
    optimiser.safetensors  AdamW's moments and steps
    learner.json           counters, random state, what the baseline remembers, the content hash of the reference, and
                           the SHA-256 of the other files; the reference itself is what the run started from

Always true: what is loaded hashes to what was written; training resumed from it equals training that never stopped, bit
for bit on one thread. A store makes the folder whole or absent.
"""

import hashlib
from collections.abc import Container, Mapping
from pathlib import Path

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from trivium.episode import ConfigError, StoreError
from trivium.policy import lora

from .learner import Learner
from .state import moments, random_state, restore_moments, restore_random_state, tensors

MODEL, OPTIMISER, RECORD, CONFIG = "model.safetensors", "optimiser.safetensors", "learner.json", "config.json"
POLICY = (MODEL, CONFIG, lora.ADAPTER, lora.SETTINGS)
"""What a policy is made of."""


class CheckpointError(StoreError):
    """A checkpoint that is not what was written, or not this learner's; `what` is that without the way out, for who
    knows a better one."""

    def __init__(self, what: str, way_out: str = "resume from an earlier one") -> None:
        super().__init__(f"{what}; {way_out}")
        self.what = what


class Record(msgspec.Struct, frozen=True):
    """What `learner.json` holds."""

    batches: int
    updates: int
    random: dict[str, str]
    sha256: dict[str, str]
    baseline: dict[str, tuple[float, float]] = {}
    reference: str = ""


def write(learner: Learner, folder: Path) -> None:
    """Fill an existing folder. Raises OSError when the disk fails."""
    _write(tensors(learner.model), folder / _weights_file(learner))
    _write(moments(learner.model, learner.optimiser), folder / OPTIMISER)
    _write_settings(learner.model, folder)
    hashes = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    memory = learner.baseline.memory
    record = Record(learner.batches, learner.updates, random_state(), hashes, memory, learner.reference_id)
    (folder / RECORD).write_bytes(msgspec.json.format(msgspec.json.encode(record)))


def load(learner: Learner, folder: Path) -> None:
    """Restore the state into a learner that was built as the one saved.

    Raises CheckpointError naming what is torn or does not fit, ConfigError for another reference; nothing is changed
    before all of it was verified.
    """
    record = _verified(folder)
    file = folder / _weights_file(learner)
    model, state = _read(file), _read(folder / OPTIMISER)
    mine = tensors(learner.model)
    _require_same(mine, model, file)
    _require_base(learner.model, folder)
    if learner.reference_id != record.reference:
        raise ConfigError(
            f"the KL penalty of {folder} compares with weights {record.reference or 'none'}, this learner with "
            f"{learner.reference_id or 'none'}; put back the model that policy.model named when the run began"
        )
    with torch.no_grad():
        for name, tensor in mine.items():
            tensor.copy_(model[name])
    restore_moments(learner.model, learner.optimiser, state)
    learner.batches, learner.updates = record.batches, record.updates
    learner.baseline.memory.clear()
    learner.baseline.memory.update(record.baseline)
    restore_random_state(record.random)


def verify(folder: Path) -> None:
    """Raise CheckpointError, naming it, when a file that a policy is made of is not what was written."""
    _verified(folder, POLICY)


def _weights_file(learner: Learner) -> str:
    return lora.ADAPTER if lora.is_adapted(learner.model) else MODEL


def _write_settings(model: nn.Module, folder: Path) -> None:
    if lora.is_adapted(model):
        lora.describe(model).save_pretrained(str(folder))
        return
    config = getattr(model, "config", None)
    if config is not None and hasattr(config, "to_json_string"):
        (folder / CONFIG).write_text(config.to_json_string(), encoding="utf-8")


def _require_base(model: nn.Module, folder: Path) -> None:
    if not lora.is_adapted(model):
        return
    base, mine = lora.settings_of(folder).revision, lora.describe(model).revision
    if base != mine:
        raise CheckpointError(
            f"the adapter in {folder} belongs to base {base}, this learner's is {mine}", "give it its base"
        )


def _verified(folder: Path, names: Container[str] = (*POLICY, OPTIMISER)) -> Record:
    try:
        record = msgspec.json.decode((folder / RECORD).read_bytes(), type=Record)
        hashes = {name: digest for name, digest in record.sha256.items() if name in names}
        torn = [name for name, digest in hashes.items() if _sha256(folder / name) != digest]
    except (OSError, msgspec.MsgspecError) as error:
        raise CheckpointError(f"checkpoint {folder} is torn ({error})") from error
    if torn:
        raise CheckpointError(f"checkpoint {folder} is torn: {torn[0]} is not what was written")
    return record


def _read(path: Path) -> dict[str, Tensor]:
    try:
        read: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path} cannot be read ({error})") from error
    return read


def _write(named: Mapping[str, Tensor], path: Path) -> None:
    try:
        save_file({name: tensor.contiguous() for name, tensor in named.items()}, path, metadata={"format": "pt"})
    except SafetensorError as error:  # how it reports a full disk
        raise OSError(str(error)) from error


def _require_same(mine: Mapping[str, Tensor], read: Mapping[str, Tensor], path: Path) -> None:
    for name in sorted(mine.keys() | read.keys()):
        a, b = mine.get(name), read.get(name)
        if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
            raise CheckpointError(
                f"{path} was written by another model: {name} differs", "build the learner as it was built"
            )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
