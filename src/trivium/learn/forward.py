"""The training forward of the Llama family (Llama, Qwen2, Qwen3) on the weights of a Hugging Face model.

Same mathematics as `transformers`, without what training from right-padded rows does not need: no attention mask (a
causal model never sees padding on the right), no cache, one matmul for q, k, v and one for gate and up, and
normalisation in the dtype of the model when that is wider than fp32. Adapters of LoRA stay beside their projections
(low_rank.py). Rows are tokens, in any number of leading dimensions: only `attend` knows which token may read which. A
model outside the family, or whose layers were replaced, goes through its own forward. `Any` is a module of
transformers, which has no types.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from trivium.policy.llama_family import outside_family

from .kernels import rms_norm, rotate, swiglu
from .low_rank import fused, is_plain, linear

Each: TypeAlias = Callable[..., Tensor]
"""How a layer is computed: `each(layer, *inputs)`."""
Attend: TypeAlias = Callable[[Tensor, Tensor, Tensor, float], Tensor]
"""(q, k, v (..., heads, T, H), scale of the scores) -> what every token reads (..., heads, T, H)."""
Places: TypeAlias = Tensor | tuple[Tensor, ...]
"""An index into the leading dimensions of (..., T, D)."""


def unsupported(model: Any) -> str | None:
    """Why this module cannot run `model`, or None when it can."""
    if reason := outside_family(model):
        return reason
    if getattr(model.config, "attention_dropout", 0.0) and model.training:
        return "it trains with attention dropout"
    if type(model.model.embed_tokens) is not nn.Embedding or type(model.lm_head) is not nn.Linear:
        return "its embedding or its head is not plain"
    projections = ((n, module) for n, module in model.named_modules() if n.endswith("_proj"))
    replaced = [n for n, module in projections if not is_plain(module)]
    return f"its layer {replaced[0]} is not a plain Linear" if replaced else None


def kept(layer: Callable[..., Tensor], *inputs: Any) -> Tensor:
    """Compute a layer and keep its activations for the backward pass."""
    return layer(*inputs)


def recomputed(layer: Callable[..., Tensor], *inputs: Any) -> Tensor:
    """Compute a layer and keep its inputs alone (activation checkpointing)."""
    done: Tensor = checkpoint(layer, *inputs, use_reentrant=False, preserve_rng_state=False)
    return done


def head(model: Any, hidden: Tensor) -> Tensor:
    """Logits (..., V), in fp32 or wider: a bf16 logit of 20 is a multiple of 0.125, which no log-softmax can fix."""
    wide = torch.promote_types(hidden.dtype, torch.float32)
    return F.linear(hidden.to(wide), model.lm_head.weight.to(wide))


def hidden_states(
    model: Any, tokens: Tensor, position_T: Tensor, attend: Attend, places: Places, each: Each = kept
) -> Tensor:
    """Final hidden states (N, D) at `places`, of tokens (..., T) at positions `position_T`.

    The last layer computes what follows its attention at those places only.
    """
    base = model.model
    x = F.embedding(tokens, base.embed_tokens.weight)
    cos_TH, sin_TH = (part[0] for part in base.rotary_emb(x, position_T[None]))
    last = base.layers[-1]
    for layer in base.layers:
        x = each(_layer, layer, x, cos_TH, sin_TH, attend, places if layer is last else None)
    return _norm(base.norm, x)


def _layer(layer: Any, x: Tensor, cos_TH: Tensor, sin_TH: Tensor, attend: Attend, places: Places | None) -> Tensor:
    """A layer; (N, D) at `places`, where given, and else everywhere (..., T, D)."""
    y = _attention(layer.self_attn, _norm(layer.input_layernorm, x), cos_TH, sin_TH, attend)
    return _after_attention(layer, x, y) if places is None else _after_attention(layer, x[places], y[places])


def _attention(attn: Any, x: Tensor, cos_TH: Tensor, sin_TH: Tensor, attend: Attend) -> Tensor:
    """The heads' outputs side by side (..., T, heads H), before the output projection."""
    widths = [p.weight.shape[0] for p in (attn.q_proj, attn.k_proj, attn.v_proj)]
    qkv = fused(x, attn.q_proj, attn.k_proj, attn.v_proj)
    q, k, v = (part.view(*x.shape[:-1], -1, attn.head_dim) for part in torch.split(qkv, widths, -1))
    if hasattr(attn, "q_norm"):
        q, k = _norm(attn.q_norm, q), _norm(attn.k_norm, k)
    q, k, v = (part.transpose(-3, -2) for part in (q, k, v))
    y = attend(rotate(q, cos_TH, sin_TH), rotate(k, cos_TH, sin_TH), v.contiguous(), attn.scaling)
    return y.transpose(-3, -2).reshape(*x.shape[:-1], -1)


def causal_attention(q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
    """Every token reads itself and what stands before it in its row (B, heads, T, H)."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=k.shape[1] != q.shape[1])


def _after_attention(layer: Any, x: Tensor, y: Tensor) -> Tensor:
    """What follows attention in a layer: the output projection of `y`, added to `x`, and the feed-forward layer."""
    x = x + linear(y, layer.self_attn.o_proj)
    return x + _mlp(layer.mlp, _norm(layer.post_attention_layernorm, x))


def _norm(module: Any, x: Tensor) -> Tensor:
    """RMS normalisation by the weights of `module`."""
    return rms_norm(x, module.weight, module.variance_epsilon)


def _mlp(module: Any, x: Tensor) -> Tensor:
    """The gated feed-forward layer of `module`."""
    return linear(swiglu(fused(x, module.gate_proj, module.up_proj)), module.down_proj)
