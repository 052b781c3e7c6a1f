"""Sampling from a model in this process.

LocalEngine   asyncio shell: deadlines, weights, failures
    Batch         one step: admit, prefill, decode, sample, finish
        Request, SessionCache, sample
        Forward       the seam: FastForward (Llama, Qwen2, Qwen3) or GenericForward (all others)
            Strip, Arena, Block     where keys and values live
"""

from .batch import Counters
from .dtype import DType
from .engine import LocalEngine

__all__ = ["Counters", "DType", "LocalEngine"]
