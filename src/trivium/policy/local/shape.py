"""The allow-list: which Hugging Face configurations the fast forward reads exactly as the original does."""

from dataclasses import dataclass
from typing import Any

_TYPES = frozenset({"llama", "qwen2", "qwen3"})
_STATIC_ROPE = frozenset({"default", "linear", "llama3", "yarn"})


@dataclass(frozen=True)
class Shape:
    """Sizes of a Llama-shaped decoder."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    ff: int
    vocab: int
    eps: float
    tied: bool

    @property
    def groups(self) -> int:
        """Query heads per key head."""
        return self.heads // self.kv_heads

    @property
    def projections(self) -> tuple[tuple[str, int], ...]:
        """Names and rows of the query, key and value projections."""
        return (
            ("q", self.heads * self.head_dim),
            ("k", self.kv_heads * self.head_dim),
            ("v", self.kv_heads * self.head_dim),
        )


def shape_of(config: Any) -> Shape | None:
    """The sizes of a model on the allow-list; None for every other (the generic forward runs it)."""
    if config.model_type not in _TYPES or config.hidden_act != "silu" or not _plain(config):
        return None
    return Shape(
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
        ff=config.intermediate_size,
        vocab=config.vocab_size,
        eps=config.rms_norm_eps,
        tied=config.tie_word_embeddings,
    )


def _plain(config: Any) -> bool:
    """Full attention in every layer, and rotary frequencies that do not depend on the length."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    full = all(kind == "full_attention" for kind in getattr(config, "layer_types", None) or ())
    sliding = bool(getattr(config, "use_sliding_window", False))
    return full and not sliding and rope.get("rope_type", "default") in _STATIC_ROPE
