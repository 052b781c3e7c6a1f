"""`trivium doctor`."""

from typing import TYPE_CHECKING, Annotated

import typer

from .guard import guard

if TYPE_CHECKING:
    from .check import Check


Model = Annotated[
    str | None, typer.Option("--model", metavar="POLICY", help="Check a model instead: a folder, a name, or a run.")
]


def doctor(model: Model = None) -> None:
    """Check this machine, or a model: what is there, what is missing, and how to get it.

    \b
    trivium doctor
    trivium doctor --model smollm2-135m
    """
    with guard():
        from rich.table import Table

        from .check import Grade
        from .console import out

        checks = _checks(model)
        table = Table(box=None, pad_edge=False)
        for column in ("", "what", "found", "way out"):
            table.add_column(column, overflow="fold")
        for check in checks:
            table.add_row(check.grade, check.what, check.found, check.remedy, style=check.grade.style)
        out().print(table)
        if any(check.grade is Grade.MISSING for check in checks):
            raise typer.Exit(1)


def _checks(model: str | None) -> "list[Check]":
    if model is None:
        from .probes import probe

        return probe()
    from trivium.run import shown

    from .model_probes import probe_model
    from .quiet import hush

    hush()
    with shown() as progress:
        return probe_model(model, progress.stage)
