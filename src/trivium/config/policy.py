"""[policy]: the model that acts, or the server."""

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from .section import Section


class RemoteConfig(Section):
    """[policy.remote] A server that speaks OpenAI's protocol decides: it is measured, not trained."""

    url: str = Field(description="base URL, such as http://127.0.0.1:8000/v1")
    model: str | None = Field(None, description="the model's name there; unset: the only one it serves")
    key_env: str | None = Field(None, description="environment variable with the key; needed beyond this machine")
    api: Literal["chat", "tokens"] = Field("chat", description="messages, or token ids of policy.model's tokenizer")
    thinking: int = Field(0, ge=0, description="tokens that the server may use beyond a reply, to reason (chat)")
    seconds: float = Field(120.0, gt=0, description="a request that takes longer is repeated")
    attempts: int = Field(5, ge=1, description="requests for one answer at most")

    @field_validator("key_env")
    @classmethod
    def _names_a_variable(cls, key_env: str | None) -> str | None:
        if key_env is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", key_env):
            raise ValueError("it names an environment variable in capitals, and is not the key itself")
        return key_env


class LoraConfig(Section):
    """[policy.lora] Train a low-rank adapter beside frozen weights; the keys are those of peft."""

    r: int = Field(16, ge=1, description="rank")
    lora_alpha: float = Field(32.0, gt=0, description="the adapter counts lora_alpha / r times")
    target_modules: tuple[str, ...] = Field(
        ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
        min_length=1,
        description="modules that get one, by the names they have in the model",
    )


class PolicyConfig(Section):
    """[policy] Who decides."""

    model: str = Field(
        "embedded", description="`embedded`, `smollm2-135m`, a model folder, or a run (its last checkpoint)"
    )
    lora: LoraConfig | None = Field(
        None, description="train an adapter; unset: all weights, or the adapter that is there"
    )
    renderer: Literal["auto", "chatml", "qwen3"] = Field("auto", description="chat format; auto reads it off the model")
    name: str = Field("policy", description="name on its actions; a learner trains its own name only")
    temperature: float = Field(1.0, gt=0, description="of sampling in training")
    batch: int = Field(64, ge=1, description="sequences sampled at once")
    cached_tokens: int = Field(131_072, ge=1, description="tokens of keys and values kept between turns")
    dtype: Literal["auto", "float32", "bfloat16"] = Field("float32", description="number type of sampling")
    threads: int | None = Field(None, ge=1, description="torch threads; unset: all cores")
    remote: RemoteConfig | None = Field(None, description="a server instead of a model in this process")

    @model_validator(mode="after")
    def _has_readers(self) -> "PolicyConfig":
        own = PolicyConfig.model_fields if self.remote else {}
        for key in ("cached_tokens", "dtype", "lora"):
            if own and getattr(self, key) != own[key].default:
                raise ValueError(f"nothing reads policy.{key} when policy.remote decides; remove one of them")
        return self
