"""Paths that a recipe names, looked at before torch is loaded."""

from typing import TYPE_CHECKING

from trivium.episode import ConfigError

if TYPE_CHECKING:
    from trivium.config import Recipe


def require_paths(recipe: "Recipe", *, trains: bool = True) -> None:
    """Refuse a model or a corpus that is nowhere, at once. Raises ConfigError.

    Where nothing is trained, published sizes (`policy.architecture`) stand in for a model that is not here.
    """
    from trivium.policy.models import EMBEDDED
    from trivium.policy.wheels import WHEELS
    from trivium.store import run_at

    model, corpus = recipe.policy.model, recipe.environment.corpus.path
    names = (EMBEDDED, *WHEELS)
    stands_in = recipe.policy.remote is not None or (recipe.policy.architecture is not None and not trains)
    if not stands_in and model not in names and not run_at(model)[0].is_dir():
        raise ConfigError(
            f"policy {model}: no run and no model lies there; give {', '.join(names)}, a model folder, RUN or RUN@step"
        )
    if corpus is not None and not corpus.exists():
        raise ConfigError(f"the corpus path {corpus} does not exist; give the folder or file that is searched")
