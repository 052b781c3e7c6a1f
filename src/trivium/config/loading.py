"""From a TOML file and overrides to a recipe, or to one sentence that says what is wrong with it."""

import difflib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import ValidationError

from trivium.episode import ConfigError

from .keys import known_keys, read_no_more, still_read
from .recipe import Recipe
from .renamed import RENAMED, with_new_names

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


def stored_recipe(text: str, origin: str) -> Recipe:
    """The recipe that a run keeps, whichever version wrote it. Raises ConfigError when it is none of this version."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin} is not a TOML file: {error}") from error
    return make_recipe(with_new_names(data), origin=origin)


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
    if where in RENAMED:
        return f"the key {where} is now called {RENAMED[where]}; rename it"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, known_keys(), n=1, cutoff=0.5)
        return f"nothing reads the key {where}" + (f"; did you mean {near[0]}?" if near else "; remove it")
    told = "..." if where.endswith("key_env") else repr(first.get("input"))  # a key may stand there by mistake
    return f"{where} = {told}: {first['msg'].removeprefix('Value error, ')}"
