"""The recipe that a run kept, which may be older than the version that reads it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .console import err

if TYPE_CHECKING:
    from trivium.config import Recipe


def recipe_at(path: Path, overrides: Sequence[str]) -> "Recipe":
    """A recipe to measure by; one that a run kept is read without keys that are gone, which are counted aloud.

    Raises ConfigError, as for any other recipe.
    """
    from trivium.config import load_kept, load_recipe

    if not (path.parent / "run.db").is_file():
        return load_recipe(path, overrides)
    recipe, gone = load_kept(path, overrides)
    tell_unread(path, gone)
    return recipe


def tell_unread(path: Path, keys: Sequence[str]) -> None:
    """Say on standard error which keys of a run's recipe nothing reads any more; nothing when there are none."""
    from trivium.web import unread

    if keys:
        err().print(f"{path}: {unread(keys)}", style="yellow", soft_wrap=True)
