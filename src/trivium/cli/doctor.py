"""`trivium doctor`."""

import typer

from .guard import guard


def doctor() -> None:
    """Check this machine: what Trivium needs, what is missing, and how to get it.

    \b
    trivium doctor
    """
    with guard():
        from rich.table import Table

        from .check import Grade
        from .console import out
        from .probes import probe

        checks = probe()
        table = Table(box=None, pad_edge=False)
        for column in ("", "what", "found", "way out"):
            table.add_column(column)
        for check in checks:
            table.add_row(check.grade, check.what, check.found, check.remedy, style=check.grade.style)
        out().print(table)
        if any(check.grade is Grade.MISSING for check in checks):
            raise typer.Exit(1)
