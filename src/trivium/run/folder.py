"""The folder of a run: `recipe.toml`, `run.db`, `checkpoints/`, `tokenizer/`, `report.json`.

Always true: one recipe and one command made a run, and only they go on with it.
"""

import shutil
from pathlib import Path

import tomli_w

from trivium.config import Recipe, stored_recipe
from trivium.episode import ConfigError, TriviumError
from trivium.store import RunStore, checkpoint_name

from .policy_folder import tokenizer_file


def open_run(folder: Path, recipe: Recipe, home: Path, *, resume: bool, command: str = "train") -> RunStore:
    """Make or resume a run folder.

    Raises ConfigError when it exists and `resume` is not said, or when another command made it.
    """
    if (folder / "run.db").exists() and not resume:
        raise ConfigError(f"{folder} holds a run already; add --resume to go on with it, or choose another --run")
    store = RunStore(folder)
    try:
        _keep_recipe(store, recipe)
        _require_command(store, command)
        _require_ledger(store)
        store.keep_folder("tokenizer", lambda draft: copy_tokenizer(home, draft))
    except (OSError, TriviumError):
        store.withdraw()
        raise
    return store


def _keep_recipe(store: RunStore, recipe: Recipe) -> None:
    """Write the recipe; one that says the same under older names, or without a key that came later, stands.

    Raises StoreError for another.
    """
    if store.recipe is None or _said(store.recipe) != recipe:
        store.write_recipe(recipe_text(recipe))


def _said(text: str) -> Recipe | None:
    """The recipe in a text; None where there is none that can be read."""
    try:
        return stored_recipe(text, "recipe.toml")
    except ConfigError:
        return None


def _require_command(store: RunStore, command: str) -> None:
    made = store.journal.events("command")
    if not made:
        store.journal.add_event("command", command)
    elif made[0].text != command:
        raise ConfigError(
            f"{store.folder} was made by trivium {made[0].text}, not by trivium {command}; choose another --run"
        )


def _require_ledger(store: RunStore) -> None:
    """Refuse a `run.db` that is older than the checkpoints beside it: going on would delete them."""
    commit = store.ledger.latest()
    following = Path(checkpoint_name(commit.steps_done if commit else 0)).name
    whole = [path.name for path in (store.folder / "checkpoints").glob("step-*") if path.suffix != ".partial"]
    beyond = max(whole, default="")
    if beyond > following:
        raise ConfigError(
            f"{store.folder / 'run.db'} knows nothing of checkpoints/{beyond}: it was altered; restore it, "
            f"or begin a new run with --set policy.model={store.folder / 'checkpoints' / beyond}"
        )


def recipe_text(recipe: Recipe) -> str:
    """A recipe with every default written out, as TOML."""
    return tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))


def copy_tokenizer(home: Path, to: Path) -> None:
    """Copy the files of the tokenizer behind a model folder or checkpoint."""
    source = tokenizer_file(home).parent
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        if (source / name).is_file():
            shutil.copyfile(source / name, to / name)
