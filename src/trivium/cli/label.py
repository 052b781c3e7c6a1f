"""`trivium label`."""

from pathlib import Path
from typing import Annotated

import typer

from .guard import guard

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A set that trivium tasks made.")]
Sheet = Annotated[Path, typer.Argument(metavar="SHEET", help="A CSV: a new one is written, a filled one is read.")]
Items = Annotated[int, typer.Option("--items", metavar="N", min=1, help="Tasks on a new sheet.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Draws and shuffles; reading needs the one of writing.")]


def label(folder: Folder, sheet: Sheet, items: Items = 100, seed: Seed = 0) -> None:
    """Put made tasks under people's eyes: a blind sheet, then how far people agree with the verifier.

    \b
    trivium label sets/mine sheet.csv --items 100   write yes or no under `good`
    trivium label sets/mine sheet.csv               then: agreement and kappa
    """
    with guard():
        from .console import out
        from .work import labelled, sheet_written

        lines = labelled(folder, sheet, seed) if sheet.exists() else sheet_written(folder, sheet, items, seed)
        for line in lines:
            out().print(line, soft_wrap=True)
