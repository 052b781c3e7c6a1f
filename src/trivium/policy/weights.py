"""Weights are named by their content: equal tensors have one id, on every machine.

Always true: of names that share memory (a head tied to the embedding) the last in order is kept, as Hugging Face does.
"""

import hashlib
from collections.abc import Mapping

import torch
from torch import Tensor


def content_hash(state: Mapping[str, Tensor], base: str = "") -> str:
    """SHA-256 over names, types, shapes and bytes (32 hex digits); names that share memory count once.

    `base` is the hash of the weights that these, an adapter's, are added to.
    """
    digest = hashlib.sha256(base.encode())
    for name, tensor in _canonical(state).items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)};".encode())
        digest.update(tensor.cpu().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()[:32]


def _canonical(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors in order of name, detached, contiguous, each memory once."""
    last = {(tensor.data_ptr(), tuple(tensor.shape)): name for name, tensor in sorted(state.items())}
    return {name: state[name].detach().contiguous() for name in sorted(last.values())}
