"""[policy]: the model that acts, or the server."""

from typing import Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from .section import Section, is_variable

RendererName: TypeAlias = Literal[
    "auto", "chatml", "qwen3", "qwen2.5", "llama-3", "gpt-oss", "deepseek-v3", "kimi-k2", "glm-4.5", "minimax-m2"
]


class RemoteConfig(Section):
    """[policy.remote] A server that speaks OpenAI's protocol decides: it is measured, not trained."""

    url: str = Field(description="base URL, such as http://127.0.0.1:8000/v1")
    model: str | None = Field(None, description="the model's name there; unset: the only one it serves")
    key_env: str | None = Field(None, description="environment variable with the key; needed beyond this machine")
    api: Literal["chat", "tokens"] = Field("chat", description="messages, or token ids of policy.model's tokenizer")
    thinking: int = Field(0, ge=0, description="tokens that the server may use beyond a reply, to reason (chat)")
    seconds: float = Field(120.0, gt=0, description="a request that takes longer is repeated")
    attempts: int = Field(5, ge=1, description="requests for one answer at most")

    _names_a_variable = field_validator("key_env")(is_variable)


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
    architecture: Literal["qwen3-4b", "gpt-oss-20b"] | None = Field(
        None, description="published sizes for --dry-run, while the model's folder is not there"
    )
    device: Literal["cpu", "cuda"] = Field("cpu", description="where the model samples and learns")
    lora: LoraConfig | None = Field(
        None, description="train an adapter; unset: all weights, or the adapter that is there"
    )
    renderer: RendererName = Field("auto", description="chat format; auto reads it off the model's control tokens")
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
        for key in ("cached_tokens", "device", "dtype", "lora"):
            if own and getattr(self, key) != own[key].default:
                raise ValueError(f"nothing reads policy.{key} when policy.remote decides; remove one of them")
        return self
