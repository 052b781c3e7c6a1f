"""Recipes: everything that a run reads, as data. No torch here.

A recipe is a TOML file; `--set a.b=c` overrides a key. Unknown keys are refused with the nearest known name. Defaults
are the vetted setting; every field says what it does and in which unit.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from trivium.episode import ConfigError

Plain = TypeVar("Plain", bound=msgspec.Struct)


class Section(BaseModel):
    """A table of a recipe: frozen, and strict about its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def fill(self, kind: type[Plain], **own: object) -> Plain:
        """A plain struct, for inner loops, with the values of the keys whose names it shares, and its `own` ones."""
        shared = set(kind.__struct_fields__) - own.keys()
        return kind(**self.model_dump(include=shared), **own)


def _is_variable(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise ValueError("it names an environment variable in capitals, and is not the key itself")
    return name


class RemoteConfig(Section):
    """[policy.remote] A server that speaks OpenAI's protocol decides: it is measured, not trained."""

    url: str = Field(description="base URL, such as http://127.0.0.1:8000/v1")
    model: str | None = Field(None, description="the model's name there; unset: the only one it serves")
    key_env: str | None = Field(None, description="environment variable with the key; needed beyond this machine")
    api: Literal["chat", "tokens"] = Field("chat", description="messages, or token ids of policy.model's tokenizer")
    thinking: int = Field(0, ge=0, description="tokens that the server may use beyond a reply, to reason (chat)")
    seconds: float = Field(120.0, gt=0, description="a request that takes longer is repeated")
    attempts: int = Field(5, ge=1, description="requests for one answer at most")

    _names_a_variable = field_validator("key_env")(_is_variable)


class LoraConfig(Section):
    """[policy.lora] Train a low-rank adapter beside frozen weights; the keys are those of peft."""

    r: int = Field(16, ge=1, description="rank")
    lora_alpha: float = Field(32.0, gt=0, description="the adapter counts lora_alpha / r times")
    target_modules: tuple[str, ...] = Field(
        ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
        min_length=1,
        description="modules that get one, by the names they have in the model",
    )


RendererName: TypeAlias = Literal[
    "auto", "chatml", "qwen3", "qwen2.5", "llama-3", "gpt-oss", "deepseek-v3", "kimi-k2", "glm-4.5", "minimax-m2"
]


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


class CorpusConfig(Section):
    """[environment.corpus] What is searched."""

    kind: Literal["python", "folder", "beir"] = Field("python", description="Python's documentation, a folder, or BEIR")
    path: Path | None = Field(None, description="the folder, for `folder` and `beir`")
    chunk_tokens: int = Field(512, ge=8, description="a chunk is at most this many of the policy's tokens")
    brief: int | None = Field(None, ge=40, description="keep first sentences, to this many characters")

    @model_validator(mode="after")
    def _needs_path(self) -> "CorpusConfig":
        if self.kind != "python" and self.path is None:
            raise ValueError(f"a corpus of kind {self.kind} needs `path`")
        return self


Hops: TypeAlias = Annotated[int, Field(ge=2, le=4)]


class TasksConfig(Section):
    """[environment.tasks] What is asked."""

    kind: Literal["chains", "qrels"] = Field(
        "chains", description="`chains`: generated tasks that follow links; `qrels`: the data set's own questions"
    )
    hops: tuple[Hops, ...] = Field((2,), min_length=1, description="lengths of the chains, in equal shares")
    train: int = Field(1000, ge=1, description="at most this many training tasks")
    held_out: int = Field(240, ge=0, description="at most this many held-out tasks, over documents never trained on")
    held_out_share: float = Field(0.35, gt=0, lt=1, description="share of the documents kept for them")
    made_up: float = Field(0.0, ge=0, lt=1, description="share of the training tasks over disguised corpora")
    clues: int = Field(5, ge=1, description="clue words of the first document")
    variants: int = Field(1, ge=1, description="tasks that begin at one chunk at most, each with other clues")
    hits: int = Field(3, ge=1, description="a hop is solvable when its chunk is among this many hits")
    seed: int = Field(0, description="draws the tasks; apart from the run's seed, so that seeds share tasks")


class ShownConfig(Section):
    """[environment.shown] How results look to the model."""

    hits: int = Field(10, ge=1, description="chunks a search returns at most")
    cost: bool = Field(True, description="headers tell the tokens of their chunk")
    titles: bool = Field(True, description="chunks begin with their document's title")


class ChromaConfig(Section):
    """[environment.retrieval.chroma] Chunk vectors lie in a Chroma collection instead of memory (extra `chroma`)."""

    path: Path | None = Field(None, description="a folder of Chroma's own (PersistentClient)")
    url: str | None = Field(None, description="or a server, such as http://127.0.0.1:8000 (HttpClient)")
    key_env: str | None = Field(None, description="environment variable with the server's key (X-Chroma-Token)")

    _names_a_variable = field_validator("key_env")(_is_variable)

    @model_validator(mode="after")
    def _is_one_place(self) -> "ChromaConfig":
        if (self.path is None) == (self.url is None):
            raise ValueError("it needs `path` or `url`, and not both")
        if self.key_env and self.url is None:
            raise ValueError("nothing reads key_env of a folder; remove it")
        return self


class RerankerConfig(Section):
    """[environment.retrieval.reranker] A second look at the candidates of a search; unset: none."""

    folder: Path | None = Field(None, description="a cross-encoder of transformers, with one label")
    url: str | None = Field(None, description="or a server with a /rerank route, such as http://127.0.0.1:8000/v1")
    model: str | None = Field(None, description="the model's name on that server")
    key_env: str | None = Field(None, description="environment variable with the server's key")
    candidates: int = Field(25, ge=1, description="hits of a search that it orders; the others are dropped")

    _names_a_variable = field_validator("key_env")(_is_variable)

    @model_validator(mode="after")
    def _is_one(self) -> "RerankerConfig":
        if (self.folder is None) == (self.url is None):
            raise ValueError("it needs `folder` or `url`, and not both")
        if self.url is not None and self.model is None:
            raise ValueError("a server needs `model`")
        if self.folder is not None and (self.model or self.key_env):
            raise ValueError("nothing reads model or key_env of a folder; remove them")
        return self


class RetrievalConfig(Section):
    """[environment.retrieval] How the corpus is searched, beyond BM25 and dense vectors in memory."""

    chroma: ChromaConfig | None = Field(None, description="unset: vectors in memory")
    reranker: RerankerConfig | None = Field(None, description="unset: none")


class EnvironmentConfig(Section):
    """[environment] A corpus, the tasks over it, and what an agent sees of it."""

    corpus: CorpusConfig = CorpusConfig()
    tasks: TasksConfig = TasksConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    shown: ShownConfig = ShownConfig()
    tools: tuple[Literal["search_corpus", "grep_corpus", "read_document"], ...] = Field(
        ("search_corpus",), description="tools of the task; pruning belongs to [editing]"
    )
    prompt: Literal["full", "short"] = Field(
        "full",
        description="what the agent is told of its role, tools and pruning; short: a policy taught so (the embedded)",
    )


class BudgetConfig(Section):
    """[budget] In tokens; unset limits keep Context-1's ratios to the window."""

    window: int = Field(1024, ge=64, description="T: no context is ever longer")
    soft: int | None = Field(None, ge=1, description="prune or conclude above it (T/2)")
    hard: int | None = Field(None, ge=1, description="only pruning above it (soft + (T - soft)/2)")
    per_call: int | None = Field(None, ge=1, description="what one call returns at most (T/8)")
    reply: int | None = Field(None, ge=1, description="what one generation takes at most (T/8)")
    turns: int = Field(128, ge=1, description="actions of an episode at most")
    seconds: float = Field(600.0, gt=0, description="wall time of an episode at most; then it is scored as it stands")
    judge_seconds: float = Field(60.0, gt=0, description="wall time of its score at most; then it is drawn again")


class EditingConfig(Section):
    """[editing] Pruning one's own context."""

    prune: bool = Field(True, description="offer prune_chunks")
    notice: Literal["training", "always", "never"] = Field(
        "training", description="when the transient message above the soft limit is shown"
    )


class RewardConfig(Section):
    """[reward] Context-1, term by term; see `trivium.reward`."""

    output: float = Field(0.7, ge=0, description="weight of F_beta on the output")
    trajectory: float = Field(0.3, ge=0, description="weight of trajectory recall; 0 is the ablation")
    answer: float = Field(1.0, ge=0, description="bonus when a chunk with the answer is cited")
    beta2_start: float = Field(16.0, gt=0, description="beta squared in the first epoch")
    beta2_end: float = Field(4.0, gt=0, description="beta squared in the last epoch")
    floor: float = Field(0.001, gt=0, description="eps: the least that a completed episode gets before costs")
    malformed: float = Field(
        0.1, ge=0, description="cost of a broken call: unreadable, unknown, or with wrong arguments"
    )
    malformed_cap: float = Field(0.3, ge=0, description="most that broken calls cost")
    turns_free: int = Field(64, ge=1, description="turns without penalty; it grows to 0.5 at twice as many")


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


class ScheduleConfig(Section):
    """[schedule] How much, and when to stop."""

    steps: int = Field(100, ge=0, description="training steps at most")
    minutes: float | None = Field(
        None, gt=0, description="train at most this many minutes per command; the running step is completed"
    )
    groups: int = Field(8, ge=1, description="tasks of a step")
    group_size: int = Field(8, ge=2, description="episodes of a task")
    epochs: int = Field(5, ge=1, description="over which beta anneals; an epoch is one pass over the tasks")
    short_first: int = Field(0, ge=0, description="epochs that draw only the tasks of fewest hops, before all others")
    redraws: int = Field(3, ge=0, description="new attempts for an episode that infrastructure failed")
    keep: int = Field(3, ge=1, description="checkpoints that stay on disk, the newest ones, for RUN@STEP and the audit")


class WatchConfig(Section):
    """[watch] The detectors inside a run; see `trivium.watch`."""

    on_finding: Literal["log", "pause", "stop"] = Field(
        "log", description="after a finding: go on; leave, to be resumed; or end training and measure"
    )


class EvalConfig(Section):
    """[eval] Measured on the held-out tasks."""

    tasks: int = Field(200, ge=0, description="held-out tasks (0: no evaluation)")
    samples: int = Field(1, ge=1, description="episodes of each task")
    temperature: float = Field(1.0, ge=0, description="of sampling in evaluation")


class SftConfig(Section):
    """[sft] Supervised learning from the episodes of scripted experts."""

    episodes: int = Field(2000, ge=1, description="episodes that are recorded, drills included")
    minutes: float | None = Field(
        None, gt=0, description="learn at most this many minutes per command; the running round is completed"
    )
    lr: float = Field(
        1e-3,
        gt=0,
        description="learning rate; a cosine falls from it to a tenth, which it reaches when no episode is refused",
    )
    rows: int = Field(16, ge=1, description="episodes of an optimiser step")
    warmup: int = Field(20, ge=0, description="optimiser steps of linear warm-up")
    made_up: float = Field(0.0, ge=0, le=1, description="share of the episodes over disguised corpora")
    drills: float = Field(0.0, ge=0, lt=1, description="share of the rows that are copy drills")
    stops_early: float = Field(0.4, ge=0, le=1, description="share of experts that stop after one search")
    prunes_badly: float = Field(0.4, ge=0, le=1, description="share of experts that prune at random")


class TrackConfig(Section):
    """[track] Who gets the metrics of every step besides the run's own store."""

    tensorboard: bool = Field(False, description="event files in RUN/tensorboard (extra `tensorboard`)")
    mlflow: str | None = Field(
        None,
        min_length=1,
        description="address, such as sqlite:///mlflow.db; the experiment is `name` (extra `mlflow`)",
    )


class PlanConfig(Section):
    """[plan] What `--dry-run` predicts time and memory for; it changes nothing in a run."""

    accelerator: Literal["A100-80GB", "H100-80GB", "H200", "B200", "B300"] | None = Field(
        None, description="where the run is to be; unset: no prediction of time"
    )
    mfu: float = Field(0.35, gt=0, le=1, description="share of its dense bfloat16 peak that large passes reach")
    bandwidth: float = Field(0.5, gt=0, le=1, description="share of its memory bandwidth that sampling reaches")
    prunes: float = Field(1.0, ge=0, description="prunes of an episode: each has half a window read again")


FOLDER_NAME = re.compile(r"\w[\w. -]{0,79}")


class Recipe(Section):
    """A whole recipe."""

    name: str = Field("run", description="of its reports, and of run folders under runs/")
    seed: int = Field(0, description="fixes draws of tasks, ids and tokens")
    policy: PolicyConfig = PolicyConfig()
    environment: EnvironmentConfig = EnvironmentConfig()
    budget: BudgetConfig = BudgetConfig()
    editing: EditingConfig = EditingConfig()
    reward: RewardConfig = RewardConfig()
    learn: LearnConfig = LearnConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    watch: WatchConfig = WatchConfig()
    eval: EvalConfig = EvalConfig()
    sft: SftConfig = SftConfig()
    track: TrackConfig = TrackConfig()
    plan: PlanConfig = PlanConfig()

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not FOLDER_NAME.fullmatch(name):
            raise ValueError("it names a folder under runs/; give at most 80 letters, digits, dots, spaces, - or _")
        return name


Override: TypeAlias = Annotated[str, "a.b=c"]


def load_recipe(path: Path, overrides: Sequence[Override] = ()) -> Recipe:
    """Read a recipe. Raises ConfigError in one sentence: no such file, bad TOML, a wrong key or value."""
    return make_recipe(_read(path), overrides, str(path))


def load_kept(path: Path, overrides: Sequence[Override] = ()) -> tuple[Recipe, list[str]]:
    """The recipe that a run kept, to read the run by, and the keys in it that nothing reads any more.

    Raises ConfigError as `load_recipe` does; an override is as new as its user, so its key must be read.
    """
    data = _read(path)
    return make_recipe(still_read(data), overrides, str(path)), read_no_more(data)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"there is no recipe at {path}; ready-made ones lie in recipes/") from error
    except OSError as error:
        raise ConfigError(f"the recipe {path} cannot be read ({error.strerror}); give a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not a TOML file: {error}") from error


def make_recipe(data: dict[str, Any], overrides: Sequence[Override] = (), origin: str = "the recipe") -> Recipe:
    """A recipe from plain data and `a.b=c` overrides (values are TOML, else plain strings)."""
    for override in overrides:
        _apply(data, override)
    try:
        return Recipe.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{origin}: {_sentence(error)}") from error


def _apply(data: dict[str, Any], override: Override) -> None:
    path, found, text = override.partition("=")
    if not found or not path.strip():
        raise ConfigError(f"--set {override}: write it as section.key=value")
    *sections, key = path.strip().split(".")
    for section in sections:
        data = data.setdefault(section, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {override}: {section} is a value, not a section")
    try:
        data[key] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        data[key] = text


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(item) for item in first["loc"]) or "recipe"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, known_keys(), n=1, cutoff=0.5)
        return f"nothing reads the key {where}" + (f"; did you mean {near[0]}?" if near else "; remove it")
    told = "..." if where.endswith("key_env") else repr(first.get("input"))  # a key may stand there by mistake
    return f"{where} = {told}: {first['msg'].removeprefix('Value error, ')}"


def known_keys(section: type[BaseModel] = Recipe, prefix: str = "") -> list[str]:
    """Every key of a recipe, dotted."""
    keys: list[str] = []
    for name, field in section.model_fields.items():
        kind = next((a for a in get_args(field.annotation) if a is not type(None)), field.annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            keys += known_keys(kind, f"{prefix}{name}.")
        keys.append(prefix + name)
    return keys


def read_no_more(data: dict[str, Any]) -> list[str]:
    """The keys of an older recipe's data that nothing reads any more, dotted."""
    known = set(known_keys())
    return [key for key, _ in _flat(data) if key not in known]


def still_read(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """An older recipe's data without the keys that nothing reads any more."""
    known = set(known_keys())
    return {
        key: still_read(value, f"{prefix}{key}.") if isinstance(value, dict) else value
        for key, value in data.items()
        if prefix + key in known
    }


def changed_keys(data: dict[str, Any], base: dict[str, Any] | None = None) -> list[str]:
    """The keys of a recipe's data that differ from `base`, unset: from their defaults, as `a.b = value`."""
    before = dict(_flat(Recipe().model_dump(mode="json", exclude_none=True) if base is None else base))
    return [f"{key} = {json.dumps(value)}" for key, value in _flat(data) if before.get(key) != value]


def _flat(data: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
