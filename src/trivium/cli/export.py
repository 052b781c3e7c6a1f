"""`trivium export`."""

from pathlib import Path
from typing import Annotated

import typer

from .guard import guard
from .kept_recipe import tell_unread

Checkpoint = Annotated[
    str,
    typer.Argument(metavar="RUN[@STEP]", help="A run (its last step), or one of the steps it keeps (schedule.keep)."),
]
To = Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder to make; one that holds something is refused.")]
Merge = Annotated[bool, typer.Option("--merge", help="Put a LoRA adapter into its base. Unset: the adapter alone.")]


def export(checkpoint: Checkpoint, to: To, merge: Merge = False) -> None:
    """Write a checkpoint as a Hugging Face folder with its model card: for transformers, servers, or policy.model.

    \b
    trivium export runs/demo-1 --to exported/demo
    trivium export runs/demo-1@58 --to exported/demo-58
    trivium eval --policy exported/demo
    """
    with guard():
        from trivium.run import export as write

        from .console import out
        from .quiet import hush

        hush()
        made = write(checkpoint, to, merge=merge)
        tell_unread(made.run / "recipe.toml", made.read_no_more)
        out().print(to, soft_wrap=True)
