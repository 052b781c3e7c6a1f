"""The sizes of a Llama-shaped decoder."""

from dataclasses import dataclass
from typing import Any


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


def shape_of(config: Any) -> Shape:
    """The sizes in the configuration of a model of the Llama family."""
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
