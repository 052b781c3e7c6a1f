"""Sampling from a model in this process.

    LocalEngine   asyncio shell: deadlines, weights, failures
        ContinuousBatch   one step: admit, prefill, decode, sample, finish
            Request, SessionCache, sample
            Forward       the seam: FastForward (Llama, Qwen2, Qwen3) or GenericForward (all others)
                Strip, Arena, Block     where keys and values live

Always true: a token and its log-prob are those of one forward pass over the whole context, whatever else is in the
batch and whatever was kept between turns.
"""

from .continuous_batch import Counters
from .dtype import DType, pick_dtype
from .engine import LocalEngine

__all__ = ["Counters", "DType", "LocalEngine", "pick_dtype"]
