"""An audit, run and shown. Imports torch."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.table import Table

from trivium.episode import ConfigError, printable
from trivium.run import shown
from trivium.run.audit import Audit, Auditor, Token, cells
from trivium.store import RunStore, step_of

from .console import out
from .quiet import hush

SHOWN = 20
"""Findings shown at most; the JSON has them all."""


def audited(run: Path, step: int | None, limit: int | None, file: Path | None, tokens: Path | None) -> bool:
    """Audit a run, write what was asked for and show the rest; True when it is clean."""
    hush()
    with RunStore(run, readonly=True) as store, shown() as progress, _writer(tokens) as told:
        progress.stage("audit", len(store.ledger.commits()) if step is None else 1)
        found = Auditor(store, limit, told, progress.tick).audit(None if step is None else step_of(step))
    _show(found)
    if step is None and limit is None:
        _write(run / "audit.json", found.text())
        _write(run / "audit.md", found.page())
    if file is not None:
        _write(file, found.text())
    return found.clean


def _show(found: Audit) -> None:
    console = out()
    table = Table(box=None, pad_edge=False)
    for column in ("step", "sampled by", "weights", "episodes", "tokens", "mean log-prob", "computed again", "max gap"):
        table.add_column(column, justify="left" if column in ("sampled by", "weights") else "right", no_wrap=True)
    for line in found.lines:
        table.add_row(*cells(line))
    console.print(table)
    console.print()
    for what, count in found.counts.items():
        console.print(f"{count:>10,} {printable(what)}", soft_wrap=True)
    console.print()
    for one in found.findings[:SHOWN]:
        console.print(f"{one.kind}: {one.where}: {printable(one.text)}", style="red", soft_wrap=True)
    if len(found.findings) > SHOWN:
        console.print(f"and {len(found.findings) - SHOWN} findings more: --json FILE has them all")
    console.print(found.verdict(), soft_wrap=True)


@contextmanager
def _writer(path: Path | None) -> Iterator[Callable[[int, Token], None]]:
    """Writes a token as a line; nowhere without a path."""
    if path is None:
        yield lambda _step, _token: None
        return
    try:
        with path.open("w", encoding="utf-8") as file:
            yield lambda step, token: _tell(file, step, token)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}); give another file") from error


def _tell(file: TextIO, step: int, token: Token) -> None:
    file.write(json.dumps({"step": step, **dataclasses.asdict(token)}) + "\n")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}); give another place") from error
