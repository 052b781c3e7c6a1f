"""A LoRA adapter packed for the fast forward: one pair of thin products beside each packed projection.

    y = x W^T + (x A^T) (s B)^T        s = alpha / r

Always true: an adapter is packed as its projection is: rows of queries and keys interleaved, norms multiplied into A.
Where projections share a matrix (query, key and value; gate and up) their A stand side by side and their B in blocks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trivium.episode import EngineError

from .pack import Layer, interleave
from .shape import Shape

PROJECTIONS = frozenset({"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"})
"""The modules that this knows; an adapter elsewhere goes through the model's own forward."""


@dataclass(frozen=True)
class LowRank:
    """`a` [in, R] and `b` [R, out], scaled: what is added is x a b."""

    a: Tensor
    b: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """[N, in] -> [N, out]."""
        return (x @ self.a) @ self.b


@dataclass(frozen=True)
class LowRankLayer:
    """What an adapter adds in one block; None: nothing."""

    qkv: LowRank | None = None
    out: LowRank | None = None
    gate_up: LowRank | None = None
    down: LowRank | None = None


def pack_adapter(
    state: Mapping[str, Tensor], scale: float, layers: Sequence[Layer], shape: Shape
) -> tuple[LowRankLayer, ...]:
    """Copy the tensors of an adapter (peft's names). Raises EngineError when one is unknown or misshapen."""
    read = _Reader(state, scale, layers[0].qkv)
    packed = tuple(_layer(read, f"base_model.model.model.layers.{i}.", one, shape) for i, one in enumerate(layers))
    if unread := sorted(state.keys() - read.names):
        raise EngineError(f"the model has no place for {unread[0]}; load the adapter that the engine was made with")
    return packed


class _Reader:
    """Reads pairs A, B by the name of their module, as private copies."""

    def __init__(self, state: Mapping[str, Tensor], scale: float, like: Tensor) -> None:
        self.state, self.scale, self.like = state, scale, like
        self.names: set[str] = set()

    def __call__(self, module: str, rows: int, columns: int) -> tuple[Tensor, Tensor]:
        """A [r, columns] and scaled B [rows, r]; r = 0 where the module has no adapter."""
        a, b = (self._read(f"{module}.lora_{side}.weight") for side in "AB")
        if a is None or b is None:
            if a is not b:
                raise EngineError(f"the adapter has half of {module}; load the adapter that the engine was made with")
            return self.like.new_zeros(0, columns), self.like.new_zeros(rows, 0)
        if a.shape != (b.shape[1], columns) or b.shape[0] != rows:
            raise EngineError(
                f"the adapter of {module} has shapes {tuple(a.shape)} and {tuple(b.shape)}, the module is "
                f"{rows} x {columns}; load the adapter that the engine was made with"
            )
        return a, b * self.scale

    def _read(self, name: str) -> Tensor | None:
        self.names.add(name)
        tensor = self.state.get(name)
        return None if tensor is None else tensor.detach().to(self.like, copy=True)


def _layer(read: _Reader, at: str, layer: Layer, shape: Shape) -> LowRankLayer:
    width = shape.width
    q, k, v = (read(f"{at}self_attn.{name}_proj", rows, width) for name, rows in shape.projections)
    q, k = ((a, interleave(b, shape.head_dim)) for a, b in (q, k))
    gate_up = [read(f"{at}mlp.{name}_proj", shape.ff, width) for name in ("gate", "up")]
    out = read(at + "self_attn.o_proj", width, shape.heads * shape.head_dim)
    return LowRankLayer(
        qkv=_side_by_side([q, k, v], layer.norm_attn),
        out=_side_by_side([out]),
        gate_up=_side_by_side(gate_up, layer.norm_mlp),
        down=_side_by_side([read(at + "mlp.down_proj", width, shape.ff)]),
    )


def _side_by_side(pairs: Sequence[tuple[Tensor, Tensor]], norm: Tensor | None = None) -> LowRank | None:
    a = torch.cat([a for a, _ in pairs])
    if not len(a):
        return None
    b: Tensor = torch.block_diag(*(b for _, b in pairs))  # type: ignore[no-untyped-call]
    return LowRank((a if norm is None else a * norm).t().contiguous(), b.t().contiguous())
