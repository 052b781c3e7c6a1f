"""[learn]: loss, baseline, optimiser and precision; keys that nothing reads are refused."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from .section import Section

READ_BY: dict[str, dict[str, dict[str, float | None]]] = {
    "loss": {
        "cispo": {"clip_low": 0.0, "clip_high": 5.0},
        "ppo": {"clip_low": 0.8, "clip_high": 1.2},
        "k25": {"clip_low": 0.5, "clip_high": 2.0, "tau": 0.1},
        "reinforce": {},
    },
    "kl": {name: {"kl_coefficient": 1e-3} for name in ("k1", "k2", "k3")},
    "baseline": {"running_mean": {"baseline_decay": 0.9}},
    "denominator": {"constant": {"episode_tokens": None}},
}
"""Keys of [learn] that only some values of another key read: key -> value -> keys, with their defaults (None: none)."""


class LearnConfig(Section):
    """[learn] How the policy improves. GRPO: loss ppo; Dr. GRPO: loss ppo, denominator constant."""

    loss: Literal["cispo", "ppo", "k25", "reinforce"] = Field("cispo", description="the policy-gradient loss")
    clip_low: float | None = Field(
        None, ge=0, le=1, validate_default=True, description="least ratio: 0 (cispo), 0.8 (ppo: 1 - eps), 0.5 (k25)"
    )
    clip_high: float | None = Field(
        None, ge=1, validate_default=True, description="largest ratio: 5 (cispo), 1.2 (ppo: 1 + eps), 2 (k25)"
    )
    tau: float | None = Field(None, ge=0, validate_default=True, description="k25: of the squared log-ratio (0.1)")
    truncate: float | None = Field(
        None, ge=1, description="TIS: cap of importance weights from engine to learner, on any loss; unset: none"
    )
    kl: Literal["none", "k1", "k2", "k3"] = Field(
        "none", description="penalty for leaving the start weights: k1 in the advantage, k2 or k3 in the loss"
    )
    kl_coefficient: float | None = Field(
        None, ge=0, validate_default=True, description="its weight per nat (0.001); 0 holds no second model"
    )
    baseline: Literal["group_mean", "leave_one_out", "running_mean"] = Field(
        "group_mean", description="compared with; running_mean: of the task family, over earlier batches"
    )
    baseline_decay: float | None = Field(
        None, ge=0, le=1, validate_default=True, description="running_mean: weight of the past, per batch (0.9)"
    )
    denominator: Literal["trained", "action", "episodes", "constant"] = Field(
        "trained", description="what the loss is divided by: tokens, episodes, or episodes x episode_tokens"
    )
    episode_tokens: float | None = Field(
        None, gt=0, validate_default=True, description="constant: tokens that every episode counts as"
    )
    lr: float = Field(1e-5, gt=0, description="learning rate")
    warmup: int = Field(0, ge=0, description="optimiser steps of linear warm-up")
    weight_decay: float = Field(0.0, ge=0, description="of AdamW; norms and biases do not decay")
    clip_norm: float = Field(1.0, gt=0, description="gradients are scaled to at most this norm")
    substeps: int = Field(1, ge=1, description="disjoint parts of a batch, one optimiser step each")
    layout: Literal["segments", "trees"] = Field("segments", description="trees compute shared prefixes once")
    dtype: Literal["float32", "bfloat16"] = Field(
        "float32", description="of the layers; weights, moments, logits and log-probs are float32 in both"
    )
    checkpoint_activations: bool = Field(False, description="compute layers twice and keep less of them")
    micro_tokens: int = Field(
        8192,
        ge=1,
        description="tokens of one pass through the model; padding counts in segments, shared tokens once in trees",
    )
    shuffle_rewards: bool = Field(False, description="control: permute the rewards inside each group")

    @field_validator(*{key for choices in READ_BY.values() for keys in choices.values() for key in keys})
    @classmethod
    def _is_read(cls, value: float | None, told: ValidationInfo) -> float | None:
        """Refuse a key that what was chosen does not read; fill in the default of what was."""
        name = told.field_name or ""
        chooser = next(key for key, choices in READ_BY.items() if any(name in keys for keys in choices.values()))
        chosen, readers = told.data.get(chooser), [n for n, keys in READ_BY[chooser].items() if name in keys]
        if chosen not in readers and value is not None:
            raise ValueError(
                f"{chooser} = {chosen} does not read it; remove it, or set learn.{chooser} to {' or '.join(readers)}"
            )
        if chosen in readers and value is None:
            value = READ_BY[chooser][chosen][name]
            if value is None:
                raise ValueError(f"{chooser} = {chosen} needs it; give a number")
        return value

    def read_by(self, key: str) -> dict[str, float]:
        """The keys that the chosen value of `key` reads, with their values."""
        return {name: getattr(self, name) for name in READ_BY[key].get(getattr(self, key), ())}
