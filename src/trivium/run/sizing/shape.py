"""A model's sizes, from its configuration: what memory and time are predicted from."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.episode import ConfigError
from trivium.learn import unsupported

PUBLISHED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
"""Configurations by name, each with its source."""


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Sizes of a decoder. `parameters` are all, `active` those that one token meets."""

    parameters: int
    active: int
    layers: int
    width: int
    ff: int
    """Inner width of the feed-forward layers that one token meets."""
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    window: int
    normed: bool
    """Queries and keys are normalised."""
    unlisted: str | None
    """Why the fast forwards cannot run it, or None when they can."""

    @classmethod
    def of(cls, model: Any) -> "Architecture":
        """Of a model, whose weights may be on the meta device."""
        config = model.config
        experts = getattr(config, "num_local_experts", None) or 1
        met = getattr(config, "num_experts_per_tok", None) or 1
        routed = sum(p.numel() for name, p in model.named_parameters() if ".experts." in name)
        total = sum(p.numel() for p in model.parameters())
        return cls(
            parameters=total,
            active=total - routed + routed * met // experts,
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            ff=config.intermediate_size * met,
            heads=config.num_attention_heads,
            kv_heads=getattr(config, "num_key_value_heads", None) or config.num_attention_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
            vocab=config.vocab_size,
            window=config.max_position_embeddings,
            normed=any("q_norm" in name for name, _ in model.named_parameters()),
            unlisted=unsupported(model),
        )

    @property
    def kv_bytes(self) -> int:
        """Numbers of keys and values for one token (times the bytes of one)."""
        return 2 * self.layers * self.kv_heads * self.head_dim


def skeleton(home: Path) -> Any:
    """The model of a folder without its weights. Raises ConfigError when there is no configuration."""
    from transformers import AutoConfig

    if not (home / "config.json").is_file():
        raise ConfigError(f"there is no model in {home}; give policy.model a folder with config.json and weights")
    return _on_meta(AutoConfig.from_pretrained(home))


def published(name: str) -> Any:
    """The model of a published configuration, without weights."""
    from transformers import AutoConfig

    entry = PUBLISHED[name]
    return _on_meta(AutoConfig.for_model(entry["model_type"], **entry["numbers"]))


def _on_meta(config: Any) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(config)
