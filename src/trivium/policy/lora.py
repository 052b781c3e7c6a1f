"""LoRA adapters (Hu et al., arXiv 2106.09685), unmerged: y = x W^T + (alpha / r) x A^T B^T, with W frozen.

The package peft puts the adapter into the model's own modules, and writes and reads it in its own format; here is what
the rest of Trivium asks about a model that has one. Always true: an adapter knows the content hash of its base (the
`revision` of its configuration), and is part of the id of the weights.
"""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from trivium.episode import ConfigError

from .weights import content_hash

ADAPTER, SETTINGS = "adapter_model.safetensors", "adapter_config.json"
"""The files of a folder in peft's format."""
_NAME = "default"


class Lora(msgspec.Struct, frozen=True):
    """Rank `r`, scale `lora_alpha` / r, and the modules that get an adapter, by the names they have in the model."""

    r: int
    lora_alpha: float
    target_modules: Sequence[str]


def attach(model: nn.Module, lora: Lora, base: str, seed: int) -> None:
    """Put a fresh adapter into `model`, in place; only it is trainable from now on. It changes nothing yet (B = 0).

    `base` names the model that it belongs to, and A is drawn by `seed`. Raises ConfigError for modules that the model
    has not.
    """
    settings = _peft().LoraConfig(
        r=lora.r,
        lora_alpha=lora.lora_alpha,
        target_modules=list(lora.target_modules),
        base_model_name_or_path=base,
        revision=content_hash(model.state_dict()),
        task_type="CAUSAL_LM",
    )
    _inject(model, settings, seed)


def attach_saved(model: nn.Module, folder: Path) -> None:
    """Put a folder's adapter into its base. Raises ConfigError when it has another base, or cannot be read."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    settings = settings_of(folder)
    found = content_hash(model.state_dict())
    if settings.revision != found:
        raise ConfigError(
            f"the adapter in {folder} belongs to weights {settings.revision}, and {settings.base_model_name_or_path} "
            f"holds {found}; give it the base that it was trained on"
        )
    _inject(model, settings, 0)
    try:
        place(model, load_file(folder / ADAPTER))
    except (OSError, SafetensorError, KeyError) as error:
        raise ConfigError(f"the adapter in {folder} cannot be read ({error}); name another checkpoint") from error


def settings_of(folder: Path) -> Any:
    """The peft configuration in a folder. Raises ConfigError when it is none of LoRA."""
    try:
        settings = _peft().LoraConfig.from_pretrained(str(folder))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{folder / SETTINGS} is no LoRA configuration ({error}); name another folder") from error
    settings.inference_mode = False
    return settings


def is_adapted(model: nn.Module) -> bool:
    """Has this model an adapter?"""
    return hasattr(model, "peft_config")


def describe(model: Any) -> Any:
    """The peft configuration of an adapted model."""
    return model.peft_config[_NAME]


def scale(model: Any) -> float:
    """alpha / r of an adapted model."""
    settings = describe(model)
    return float(settings.lora_alpha / settings.r)


def adapted_modules(model: nn.Module) -> frozenset[str]:
    """The modules with an adapter, by the last part of their name; none without one."""
    names = (name.partition(".lora_")[0] for name, _ in model.named_parameters() if ".lora_" in name)
    return frozenset(name.rpartition(".")[2] for name in names)


def base_state(model: nn.Module) -> dict[str, Tensor]:
    """The model's state under the names that it has without an adapter, and without that."""
    state = model.state_dict()
    return {name.replace(".base_layer.", "."): tensor for name, tensor in state.items() if ".lora_" not in name}


def learned(model: nn.Module) -> dict[str, Tensor]:
    """What learning changes, sharing memory with the model: the adapter in peft's names, else all of the state."""
    if not is_adapted(model):
        return dict(model.state_dict())
    named = {_saved(name): parameter for name, parameter in model.named_parameters() if _is_low_rank(name)}
    return {name: parameter.detach() for name, parameter in named.items()}


@torch.no_grad()
def place(model: nn.Module, adapter: Mapping[str, Tensor]) -> None:
    """Copy adapter tensors in. Raises KeyError when names or shapes do not fit; then nothing is changed."""
    own = learned(model)
    unfit = [n for n in sorted(own.keys() | adapter.keys()) if n not in own or n not in adapter]
    unfit += [n for n in own if n in adapter and own[n].shape != adapter[n].shape]
    if unfit:
        raise KeyError(unfit[0])
    for name, tensor in own.items():
        tensor.copy_(adapter[name])


@torch.no_grad()
def merge(model: Any) -> None:
    """Add the adapter to its base, in place, and take it out: W + (alpha / r) B A. For export only.

    Raises ConfigError where the embedding shares the adapted matrix, and would change with it.
    """
    if getattr(model.config, "tie_word_embeddings", False) and adapted_modules(model) & {"lm_head", "embed_tokens"}:
        raise ConfigError(
            "the adapter of the head or the embedding cannot be merged, because the model holds both in one matrix; "
            "export the adapter alone"
        )
    for name, module in [*model.named_modules()]:
        if hasattr(module, "lora_A"):
            module.merge()
            model.set_submodule(name, module.base_layer)
    del model.peft_config


def weights_id(model: nn.Module) -> str:
    """The content hash of all weights; that of an adapted model is over its adapter and its base's hash."""
    return content_hash(learned(model), describe(model).revision if is_adapted(model) else "")


def _is_low_rank(name: str) -> bool:
    return ".lora_A." in name or ".lora_B." in name


def _saved(name: str) -> str:
    """A parameter's name in peft's files."""
    return f"base_model.model.{name.replace(f'.{_NAME}.', '.')}"


def _inject(model: nn.Module, settings: Any, seed: int) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed % 2**63)
        try:
            _peft().inject_adapter_in_model(settings, model, adapter_name=_NAME)
        except ValueError as error:
            raise ConfigError(f"policy.lora.target_modules do not fit the model ({error}); name its modules") from error
    model.eval()


def _peft() -> Any:
    try:
        return importlib.import_module("peft")
    except ImportError as error:
        raise ConfigError(f"LoRA needs the package peft ({error}); run pip install 'trivium[lora]'") from error
