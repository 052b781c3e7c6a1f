"""`trivium audit`."""

from pathlib import Path
from typing import Annotated

import typer

from .guard import guard

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, finished or still running.")]
Step = Annotated[int | None, typer.Option("--step", min=1, metavar="N", help="Audit one step, counted from 1.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Read the first N episodes of a step.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the whole result as JSON.")]
Tokens = Annotated[
    Path | None, typer.Option("--tokens", metavar="FILE", help="Write every trained token as a line of JSON.")
]
WRONG = 1
"""Exit code of an audit with findings."""


def audit(run: Folder, step: Step = None, limit: Limit = None, json: Json = None, tokens: Tokens = None) -> None:
    """Prove a run: who sampled every trained token, under which weights, at which log-prob.

    \b
    Computes the log-probs again where the weights are stored, makes every batch
    again, and checks ledger, trees, rewards and versions. A whole audit leaves
    audit.json and audit.md in the run's folder.
    Exit code 0: clean; 1: something is wrong; 2: it cannot be audited.

    \b
    trivium audit runs/demo-1
    trivium audit runs/demo-1 --step 3 --tokens tokens.jsonl
    """
    with guard():
        from .audit_view import audited

        if not audited(run, step, limit, json, tokens):
            raise typer.Exit(WRONG)
