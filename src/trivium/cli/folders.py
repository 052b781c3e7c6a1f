"""Where recipes and runs lie."""

from pathlib import Path

from trivium.episode import ConfigError, StoreError

PACKAGE = Path(__file__).parents[1]
PLACES = (PACKAGE / "recipes", PACKAGE.parents[1] / "recipes")
"""Ready-made recipes: in an installed wheel, and in a checkout."""


def ready_made(name: str) -> Path:
    """A ready-made recipe (or a file beside it) by name. Raises ConfigError when the installation lacks it."""
    for place in PLACES:
        if (place / name).is_file():
            return place / name
    raise ConfigError(f"this installation has no recipe {name}; install Trivium again, or run from a checkout")


def found(recipe: Path) -> Path:
    """A recipe by path, else a ready-made one by name (`demo` or `demo.toml`)."""
    if recipe.exists() or recipe.parent != Path():
        return recipe
    names = [place / recipe.with_suffix(".toml") for place in PLACES]
    return next((path for path in names if path.is_file()), recipe)


def names() -> str:
    """The names of the ready-made recipes, for help."""
    found = {path.stem for place in PLACES for path in place.glob("*.toml")}
    return ", ".join(sorted(found))


def fresh(name: str) -> Path:
    """The first of `runs/<name>-1`, `runs/<name>-2`, ... that does not exist."""
    number = 1
    while Path("runs", f"{name}-{number}").exists():
        number += 1
    return Path("runs", f"{name}-{number}")


def how_to_resume(command: str, folder: Path) -> str:
    """What to type after Ctrl-C. The run keeps its recipe, overrides included."""
    if not (folder / "recipe.toml").is_file():
        return "nothing was kept yet; run the command again"
    return f"resume with: trivium {command} {folder / 'recipe.toml'} --run {folder} --resume"


def run_folder(run: Path | None, name: str, *, resume: bool) -> Path:
    """The folder that was asked for, or a fresh one. Raises ConfigError before any work when it cannot serve."""
    if run is None:
        if resume:
            raise ConfigError("--resume needs --run DIR, the folder of the run to go on with")
        return fresh(name)
    exists = (run / "run.db").is_file()
    if resume and not exists:
        raise ConfigError(f"{run} holds no run to resume; check the path, or leave --resume out to begin one")
    if exists and not resume:
        raise ConfigError(f"{run} holds a run already; {_way_on(run)}choose another --run")
    return run


def _way_on(run: Path) -> str:
    """How to go on with a run, by the command that made it; nothing where none does."""
    from trivium.store import RunStore

    try:
        with RunStore(run, readonly=True) as store:
            made = [event.text for event in store.journal.events("command")]
    except StoreError:
        return ""
    return f"{how_to_resume(made[0], run)}, or " if made and made[0] in ("train", "sft") else ""
