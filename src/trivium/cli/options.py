"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from .folders import names

RecipeFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="RECIPE", help=f"A recipe (TOML), or a ready-made one by its name: {names()}.")
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="A.B=C", help="Override one key of the recipe (trivium keys lists them); may be repeated."
    ),
]
Run: TypeAlias = Annotated[
    Path | None, typer.Option("--run", metavar="DIR", help="Folder of the run; unset: a fresh one under runs/.")
]
Resume: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on with the run in --run after its last committed step.")
]
