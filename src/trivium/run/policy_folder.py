"""Where a policy lies: a model folder, a checkpoint of a run, or what comes in a package."""

from collections.abc import Callable
from pathlib import Path

from trivium.episode import ConfigError
from trivium.policy import lora
from trivium.policy.models import EMBEDDED, EMBEDDED_FOLDER
from trivium.policy.wheels import WHEELS, wheel_folder
from trivium.store import RunStore, run_at

Tell = Callable[[str], None]


def silent(_: str) -> None:
    """Tells nobody."""


def policy_folder(name: str, tell: Tell = silent) -> Path:
    """The folder behind `policy.model`: the embedded one, a package's, a model folder, a checkpoint (RUN, RUN@step)."""
    if name == EMBEDDED:
        return EMBEDDED_FOLDER
    if name in WHEELS:
        return wheel_folder(name, tell)
    folder, steps_done = run_at(name)
    if (folder / "run.db").is_file():
        return _checkpoint(folder, steps_done)
    if steps_done is not None or not any((folder / file).is_file() for file in ("config.json", lora.SETTINGS)):
        named = ", ".join([EMBEDDED, *WHEELS])
        raise ConfigError(
            f"policy {name}: no run and no model lies there; give `{named}`, a model folder, RUN or RUN@step"
        )
    return folder


def base_folder(folder: Path, tell: Tell = silent) -> Path:
    """The folder of a whole model: `folder`, or that of the base of the adapter in it."""
    if not (folder / lora.SETTINGS).is_file():
        return folder
    return policy_folder(str(lora.settings_of(folder).base_model_name_or_path), tell)


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


def tokenizer_file(folder: Path) -> Path:
    """`tokenizer.json` of a model folder, or of the run that a checkpoint lies in."""
    for place in (folder, folder.parent.parent / "tokenizer"):
        if (place / "tokenizer.json").is_file():
            return place / "tokenizer.json"
    raise ConfigError(f"{folder} has no tokenizer.json; save a fast tokenizer beside the model")
