"""The Llama family: the decoders that the engine and the learner compute by code of their own. One allow-list for both.

Always true: what is not on it goes through the model's own forward, which is exact for every model, and slower.
"""

from typing import Any

CLASSES = frozenset({"LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"})
_STATIC_ROPE = frozenset({"default", "linear", "llama3", "yarn"})


def outside_family(model: Any) -> str | None:
    """Why this module of transformers is not of the family, or None when it is."""
    name = type(model).__name__
    if name not in CLASSES:
        return f"{name} is not one of {', '.join(sorted(CLASSES))}"
    config = model.config
    kinds = set(getattr(config, "layer_types", None) or ()) - {"full_attention"}
    if getattr(config, "use_sliding_window", False) or "sliding_attention" in kinds:
        return "it has layers with sliding-window attention"
    if kinds:
        return f"it has layers of the kind {min(kinds)}"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}, not silu"
    return None


def has_static_rope(config: Any) -> bool:
    """Are the rotary frequencies the same at every length, so that they can be computed once?"""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    return rope.get("rope_type", "default") in _STATIC_ROPE
