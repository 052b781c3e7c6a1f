"""`trivium keys`."""

from typing import Annotated

import typer

from trivium.episode import ConfigError

from .guard import guard

Prefix = Annotated[str, typer.Argument(metavar="PREFIX", help="A section, a key, or how one begins. Unset: every key.")]


def keys(prefix: Prefix = "") -> None:
    """List the keys of a recipe: what --set takes, with type, default and meaning.

    \b
    trivium keys
    trivium keys learn
    trivium keys environment.corpus
    """
    with guard():
        from rich.padding import Padding

        from .console import out
        from .key_list import groups

        found = [key for group in groups() for key in group.keys if key.name.startswith(prefix)]
        if not found:
            raise ConfigError(_unknown(prefix))
        console = out()
        for key in found:
            console.print(f"{key.name} = {key.default}  ({key.takes})", style="bold", soft_wrap=True)
            console.print(Padding(key.does, (0, 0, 0, 4)))


def _unknown(prefix: str) -> str:
    import difflib

    from trivium.config import known_keys

    near = difflib.get_close_matches(prefix, known_keys(), n=1, cutoff=0.5)
    return f"no key begins with {prefix}" + (f"; did you mean {near[0]}?" if near else "; trivium keys lists all")
