"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RecipeFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="RECIPE", help="A recipe (TOML), or the name of a ready-made one, such as demo.")
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="A.B=C", help="Override one key of the recipe; may be given several times."),
]
Run: TypeAlias = Annotated[
    Path | None, typer.Option("--run", metavar="DIR", help="Folder of the run; unset: a fresh one under runs/.")
]
Resume: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on with the run in --run after its last committed step.")
]
