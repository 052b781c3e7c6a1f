"""The number type of the sampling engine: "float32", "bfloat16", or "auto", which measures."""

import time
from functools import lru_cache
from typing import Literal, TypeAlias

import torch

DType: TypeAlias = Literal["float32", "bfloat16", "auto"]


def pick_dtype(name: DType, device: torch.device) -> torch.dtype:
    """The torch type for a name; "auto" is bfloat16 where the device multiplies it faster than float32."""
    if name == "auto":
        return torch.bfloat16 if device.type != "cpu" or _bfloat16_is_faster() else torch.float32
    return torch.bfloat16 if name == "bfloat16" else torch.float32


@lru_cache(maxsize=1)
def _bfloat16_is_faster() -> bool:
    """Measured once per process, in less than 50 ms: CPUs without avx512_bf16 or AMX are 50 times slower in bf16."""
    return _seconds(torch.bfloat16) < _seconds(torch.float32)


def _seconds(dtype: torch.dtype) -> float:
    a = torch.ones(192, 192, dtype=dtype)
    best = float("inf")
    for _ in range(4):
        start = time.perf_counter()
        torch.mm(a, a)
        best = min(best, time.perf_counter() - start)
    return best
