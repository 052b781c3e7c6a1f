"""Three element-wise pieces of a transformer layer, with backward passes written out to save memory traffic.

On a CPU these pieces, not the matmuls, take most of the time of a small model when autograd records each operation.
"""
# mypy: disable-error-code="no-untyped-call"

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable


class _RmsNorm(Function):
    """y = x r w with r = 1 / sqrt(mean(x^2) + eps); dx = r (g w - x r^2 mean(g w x))."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        r: Tensor = torch.linalg.vector_norm(wide, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(eps).rsqrt_()
        ctx.save_for_backward(x, weight, r)
        return (wide * r).to(x.dtype) * weight

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, r = ctx.saved_tensors
        normed = x * r
        product = grad * normed
        wide = weight.to(product.dtype)
        mean = (product @ wide).unsqueeze(-1).div_(x.shape[-1])
        grad_weight = product.sum(tuple(range(x.dim() - 1)))
        grad_x = torch.mul(grad, wide, out=product).addcmul_(normed, mean, value=-1).mul_(r)
        return grad_x.to(x.dtype), grad_weight.to(weight.dtype), None


class _Rotate(Function):
    """Rotary embedding: y = x cos + rotate_half(x) sin; its transpose is the rotation by the opposite angle."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        ctx.save_for_backward(cos, sin)
        return _rotated(x, cos, sin, 1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        cos, sin = ctx.saved_tensors
        return _rotated(grad, cos, sin, -1.0), None, None


def _rotated(x: Tensor, cos: Tensor, sin: Tensor, sign: float) -> Tensor:
    half = x.shape[-1] // 2
    y = torch.mul(x, cos, out=torch.empty(x.shape, dtype=x.dtype, device=x.device))
    y[..., :half].addcmul_(x[..., half:], sin[..., :half], value=-sign)
    y[..., half:].addcmul_(x[..., :half], sin[..., half:], value=sign)
    return y


class _SwiGlu(Function):
    """y = silu(gate) up, for gate and up side by side in the last dimension."""

    @staticmethod
    def forward(ctx: Any, gate_up: Tensor) -> Tensor:
        ctx.save_for_backward(gate_up)
        gate, up = gate_up.chunk(2, dim=-1)
        return torch.nn.functional.silu(gate).mul_(up)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (gate_up,) = ctx.saved_tensors
        gate, up = gate_up.chunk(2, dim=-1)
        out = torch.empty_like(gate_up)
        grad_gate, grad_up = out.chunk(2, dim=-1)
        torch.mul(grad, torch.nn.functional.silu(gate), out=grad_up)
        torch.ops.aten.silu_backward.grad_input(grad * up, gate, grad_input=grad_gate)
        return out


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight over the last dimension, in fp32 or wider."""
    return _RmsNorm.apply(x, weight, eps)  # type: ignore[no-any-return]


def rotate(x_BNTH: Tensor, cos_TH: Tensor, sin_TH: Tensor) -> Tensor:
    """Rotary position embedding of heads (B, N, T, H); contiguous, as attention on a CPU likes it."""
    return _Rotate.apply(x_BNTH, cos_TH, sin_TH)  # type: ignore[no-any-return]


def swiglu(gate_up: Tensor) -> Tensor:
    """silu(gate) * up of (..., 2F) -> (..., F)."""
    return _SwiGlu.apply(gate_up)  # type: ignore[no-any-return]
