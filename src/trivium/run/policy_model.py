"""The model of a policy, with its adapter.

Always true: an adapter is put beside the very weights it was trained on (their content hash is checked), and stays
unmerged.
"""

from pathlib import Path
from typing import Any

from trivium.config import LoraConfig, PolicyConfig
from trivium.episode import ConfigError
from trivium.harness import derive_seed
from trivium.policy import lora
from trivium.policy.models import EMBEDDED, load_model
from trivium.policy.wheels import WHEELS

from .policy_folder import Tell, base_folder, silent
from .resuming import require_whole


def open_model(policy: PolicyConfig, folder: Path, seed: int, tell: Tell = silent) -> Any:
    """The model of a policy, with its adapter where it has one, or where the recipe wants one.

    Raises ConfigError for an adapter that is not the recipe's, StoreError for a checkpoint that is torn.
    """
    require_whole(folder)
    base = base_folder(folder, tell)
    require_whole(base)
    model = _placed(load_model(base)[0], policy.device)
    wanted = None if policy.lora is None else _lora(policy.lora)
    if base != folder:
        _require_same(lora.settings_of(folder), wanted, folder)
        lora.attach_saved(model, folder)
    elif wanted is not None:
        name = policy.model if policy.model in (EMBEDDED, *WHEELS) else str(folder.resolve())
        lora.attach(model, wanted, name, derive_seed(seed, "lora"))
    return model


def _placed(model: Any, device: str) -> Any:
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "policy.device is cuda, and torch sees no GPU here; set it to cpu, or install torch with CUDA"
        )
    return model.to(device)


def _lora(config: LoraConfig) -> lora.Lora:
    return lora.Lora(r=config.r, lora_alpha=config.lora_alpha, target_modules=config.target_modules)


def _require_same(found: Any, wanted: lora.Lora | None, folder: Path) -> None:
    if wanted is None:
        return
    for key in ("r", "lora_alpha"):
        if getattr(found, key) != getattr(wanted, key):
            raise ConfigError(
                f"{folder} holds an adapter with {key} {getattr(found, key)}; set policy.lora.{key} to that"
            )
    if set(found.target_modules) != set(wanted.target_modules):
        names = ", ".join(sorted(found.target_modules))
        raise ConfigError(f"{folder} holds an adapter of {names}; set policy.lora.target_modules to those")
