"""Weights of a Llama-shaped decoder, packed for few and large matrix products.

Always true: packed weights are the engine's own copy, so a learner that trains the module they came from changes
nothing until `load`. The weight of a norm is multiplied into the matrix that reads it. The query and key rows of a
head are interleaved (dimension i beside i + D/2), so that the rotary embedding is one complex
product; scores do not change, for both sides are permuted alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from trivium.episode import EngineError

from .matrix import Matrix
from .shape import Shape


@dataclass(frozen=True)
class Layer:
    """One block. H query heads, J key heads, D head size, E width, F feed-forward width."""

    norm_attn: Tensor
    """[E]; multiplied into `qkv` already."""
    norm_mlp: Tensor
    """[E]; multiplied into `gate_up` already."""
    qkv: Tensor
    """[(H + 2J) D, E]: query rows, key rows, value rows."""
    qkv_bias: Tensor | None
    norm_qk: Tensor | None
    """[H + J, D]: the per-head norm of queries and keys (Qwen3)."""
    out: Tensor
    """[E, H D]"""
    out_bias: Tensor | None
    gate_up: Matrix
    """[2F, E]: gate rows, up rows."""
    gate_up_bias: Tensor | None
    down: Tensor
    """[E, F]"""
    down_bias: Tensor | None


@dataclass(frozen=True)
class Packed:
    """A whole model."""

    embed: Tensor
    """[V, E]"""
    layers: tuple[Layer, ...]
    norm: Tensor
    """[E]"""
    head: Matrix
    """[V, E]; the same weights as `embed` where they are tied."""


def pack(state: Mapping[str, Tensor], shape: Shape, dtype: torch.dtype, device: torch.device) -> Packed:
    """Copy the tensors of a Hugging Face state dict. Raises EngineError when one is missing or misshapen."""
    read = _Reader(state, dtype, device)
    embed_name = "model.embed_tokens.weight" if "model.embed_tokens.weight" in state else "lm_head.weight"
    embed = read(embed_name, (shape.vocab, shape.width))
    tied = shape.tied or "lm_head.weight" not in state
    return Packed(
        embed=embed,
        layers=tuple(_layer(read, f"model.layers.{index}.", shape) for index in range(shape.layers)),
        norm=read("model.norm.weight", (shape.width,)),
        head=Matrix(embed if tied else read("lm_head.weight", (shape.vocab, shape.width))),
    )


class _Reader:
    """Reads tensors by name, as private copies."""

    def __init__(self, state: Mapping[str, Tensor], dtype: torch.dtype, device: torch.device) -> None:
        self.state, self.dtype, self.device = state, dtype, device

    def __call__(self, name: str, size: tuple[int, ...]) -> Tensor:
        tensor = self.state.get(name)
        if tensor is None:
            raise EngineError(f"the weights lack {name}; load weights of the model that the engine was made with")
        if tuple(tensor.shape) != size:
            raise EngineError(f"{name} has shape {tuple(tensor.shape)}, the model needs {size}; load its own weights")
        return tensor.detach().to(device=self.device, dtype=self.dtype, copy=True)

    def maybe(self, name: str, size: tuple[int, ...]) -> Tensor | None:
        return self(name, size) if name in self.state else None


def _layer(read: _Reader, at: str, shape: Shape) -> Layer:
    norm_attn = read(at + "input_layernorm.weight", (shape.width,))
    norm_mlp = read(at + "post_attention_layernorm.weight", (shape.width,))
    mlp = (shape.ff, shape.width)
    return Layer(
        norm_attn=norm_attn,
        norm_mlp=norm_mlp,
        qkv=_qkv(read, at + "self_attn.", shape) * norm_attn,
        qkv_bias=_qkv_bias(read, at + "self_attn.", shape),
        norm_qk=_norm_qk(read, at + "self_attn.", shape),
        out=read(at + "self_attn.o_proj.weight", (shape.width, shape.heads * shape.head_dim)),
        out_bias=read.maybe(at + "self_attn.o_proj.bias", (shape.width,)),
        gate_up=Matrix(torch.cat([read(f"{at}mlp.{name}_proj.weight", mlp) for name in ("gate", "up")]) * norm_mlp),
        gate_up_bias=_join([read.maybe(f"{at}mlp.{name}_proj.bias", (shape.ff,)) for name in ("gate", "up")]),
        down=read(at + "mlp.down_proj.weight", (shape.width, shape.ff)),
        down_bias=read.maybe(at + "mlp.down_proj.bias", (shape.width,)),
    )


def _qkv(read: _Reader, at: str, shape: Shape) -> Tensor:
    q, k, v = (read(f"{at}{name}_proj.weight", (rows, shape.width)) for name, rows in shape.projections)
    return torch.cat([interleave(q, shape.head_dim), interleave(k, shape.head_dim), v])


def _qkv_bias(read: _Reader, at: str, shape: Shape) -> Tensor | None:
    q, k, v = (read.maybe(f"{at}{name}_proj.bias", (rows,)) for name, rows in shape.projections)
    if q is None or k is None or v is None:
        return None
    return torch.cat([interleave(q, shape.head_dim), interleave(k, shape.head_dim), v])


def _norm_qk(read: _Reader, at: str, shape: Shape) -> Tensor | None:
    q, k = (read.maybe(f"{at}{name}_norm.weight", (shape.head_dim,)) for name in ("q", "k"))
    if q is None or k is None:
        return None
    rows = [interleave(q, shape.head_dim)] * shape.heads + [interleave(k, shape.head_dim)] * shape.kv_heads
    return torch.stack(rows)


def interleave(rows: Tensor, head_dim: int) -> Tensor:
    """Per head of `head_dim` rows: row 2i is dimension i, row 2i + 1 is dimension i + head_dim / 2."""
    halves = rows.reshape(len(rows) // head_dim, 2, head_dim // 2, *rows.shape[1:])
    return halves.transpose(1, 2).reshape(rows.shape)


def _join(parts: list[Tensor | None]) -> Tensor | None:
    present = [part for part in parts if part is not None]
    return torch.cat(present) if len(present) == len(parts) else None
