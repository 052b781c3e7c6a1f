"""The training forward of the Llama family (Llama, Qwen2, Qwen3) on the weights of a Hugging Face model.

Same mathematics as `transformers`, without what training from right-padded rows does not need: no attention mask (a
causal model never sees padding on the right), no cache, one matmul for q, k, v and one for gate and up, and
normalisation in the dtype of the model when that is wider than fp32. Adapters of LoRA stay beside their projections
(low_rank.py). A model that is not on the allow-list, or whose layers were replaced, goes through its own forward. `Any`
is a module of transformers, which has no types.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .kernels import rms_norm, rotate, swiglu
from .low_rank import fused, is_plain, linear

Each: TypeAlias = Callable[..., Tensor]
"""How a layer is computed: `each(layer, *inputs)`."""
FAMILIES = frozenset({"LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"})


def unsupported(model: Any) -> str | None:
    """Why this module cannot run `model`, or None when it can."""
    name = type(model).__name__
    if name not in FAMILIES:
        return f"{name} is not one of {', '.join(sorted(FAMILIES))}"
    config = model.config
    if getattr(config, "use_sliding_window", False) or "sliding_attention" in (
        getattr(config, "layer_types", None) or ()
    ):
        return "it has layers with sliding-window attention"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}, not silu"
    if getattr(config, "attention_dropout", 0.0) and model.training:
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


def hidden_states(model: Any, tokens_BT: Tensor, row_N: Tensor, column_N: Tensor, each: Each = kept) -> Tensor:
    """Final hidden states (N, D) at the places (row, column) of right-padded rows at positions 0..T-1.

    The last layer computes what follows its attention at those places only.
    """
    base = model.model
    x = F.embedding(tokens_BT, base.embed_tokens.weight)
    positions = torch.arange(tokens_BT.shape[1], device=tokens_BT.device)[None]
    cos, sin = (part[0] for part in base.rotary_emb(x, positions))
    last = base.layers[-1]
    for layer in base.layers:
        x = each(_layer, layer, x, cos, sin, (row_N, column_N) if layer is last else None)
    return norm(base.norm, x)


def _layer(layer: Any, x_BTD: Tensor, cos: Tensor, sin: Tensor, places: tuple[Tensor, Tensor] | None) -> Tensor:
    """A layer; (N, D) at `places`, where given, and else everywhere (B, T, D)."""
    y = _attention(layer.self_attn, norm(layer.input_layernorm, x_BTD), cos, sin)
    return after_attention(layer, x_BTD, y) if places is None else after_attention(layer, x_BTD[places], y[places])


def after_attention(layer: Any, x: Tensor, y: Tensor) -> Tensor:
    """What follows attention in a layer: the output projection of `y`, added to `x`, and the feed-forward layer."""
    x = x + linear(y, layer.self_attn.o_proj)
    return x + mlp(layer.mlp, norm(layer.post_attention_layernorm, x))


def head(model: Any, hidden: Tensor) -> Tensor:
    """Logits (..., V), in fp32 or wider: a bf16 logit of 20 is a multiple of 0.125, which no log-softmax can fix."""
    wide = torch.promote_types(hidden.dtype, torch.float32)
    return F.linear(hidden.to(wide), model.lm_head.weight.to(wide))


def norm(module: Any, x: Tensor) -> Tensor:
    """RMS normalisation by the weights of `module`."""
    return rms_norm(x, module.weight, module.variance_epsilon)


def _attention(attn: Any, x_BTD: Tensor, cos_TH: Tensor, sin_TH: Tensor) -> Tensor:
    """The heads' outputs side by side (B, T, heads H), before the output projection."""
    B, T, _ = x_BTD.shape
    H = attn.head_dim
    widths = [p.weight.shape[0] for p in (attn.q_proj, attn.k_proj, attn.v_proj)]
    qkv = fused(x_BTD, attn.q_proj, attn.k_proj, attn.v_proj)
    q, k, v = (part.view(B, T, -1, H) for part in torch.split(qkv, widths, -1))
    if hasattr(attn, "q_norm"):
        q, k = norm(attn.q_norm, q), norm(attn.k_norm, k)
    q, k, v = (part.transpose(1, 2) for part in (q, k, v))
    q, k, v = rotate(q, cos_TH, sin_TH), rotate(k, cos_TH, sin_TH), v.contiguous()
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=attn.scaling, enable_gqa=k.shape[1] != q.shape[1])
    return y.transpose(1, 2).reshape(B, T, -1)


def mlp(module: Any, x: Tensor) -> Tensor:
    """The gated feed-forward layer of `module`."""
    return linear(swiglu(fused(x, module.gate_proj, module.up_proj)), module.down_proj)
