"""Metrics and events of a run: what the curves and the log are drawn from.

Always true: a metric has one value per step, written with its commit (so a resumed run leaves no double points); events
are only appended.
"""

import json
import math
import sqlite3
import time
from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import Connection, select

from trivium.episode import Json

from . import schema
from .database import Database
from .statement import Statement

_M = schema.metrics.c
_E = schema.events.c
_EVENT = Statement(schema.events.insert(), ["time", "kind", "text", "data"])


class Event(msgspec.Struct, frozen=True):
    """Something that happened to the run at `time` (Unix seconds), such as ``redraws_spent``."""

    time: float
    kind: str
    text: str
    data: Json = None


class Note(msgspec.Struct, frozen=True):
    """An event that is to happen with a commit."""

    kind: str
    text: str
    data: Json = None


class Journal:
    """Metrics and events of a run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def curve(self, name: str) -> list[tuple[int, float]]:
        """(step, value) of a metric, by step."""
        with self._db.read() as connection:
            rows = connection.execute(select(_M.step, _M.value).where(_M.name == name).order_by(_M.step))
            return [(step, math.nan if value is None else value) for step, value in rows]

    def metrics(self, step: int) -> dict[str, float]:
        """Every metric of a step."""
        with self._db.read() as connection:
            rows = connection.execute(select(_M.name, _M.value).where(_M.step == step))
            return {name: math.nan if value is None else value for name, value in rows}

    def metric_names(self) -> list[str]:
        """Every metric that has a value."""
        with self._db.read() as connection:
            return list(connection.execute(select(_M.name).distinct().order_by(_M.name)).scalars())

    def add_event(self, kind: str, text: str, data: Json = None) -> None:
        """Append an event; `data` is plain JSON."""
        with self._db.write_fast() as connection:
            insert_event(connection, kind, text, data)

    def events(self, kind: str | None = None) -> list[Event]:
        """Events in order, all or of one kind."""
        query = select(_E.time, _E.kind, _E.text, _E.data).order_by(_E.seq)
        with self._db.read() as connection:
            rows = connection.execute(query if kind is None else query.where(_E.kind == kind))
            return [Event(when, what, text, json.loads(data)) for when, what, text, data in rows]


def insert_event(connection: sqlite3.Connection, kind: str, text: str, data: Json = None) -> None:
    """Append an event inside the caller's transaction."""
    connection.execute(_EVENT.sql, _event(Note(kind, text, data)))


def insert_notes(connection: Connection, notes: Iterable[Note]) -> None:
    """Append events inside the caller's transaction."""
    for note in notes:
        connection.execute(schema.events.insert(), _event(note))


def _event(note: Note) -> dict[str, str | float]:
    return {"time": time.time(), "kind": note.kind, "text": note.text, "data": json.dumps(note.data)}


def insert_metrics(connection: Connection, step: int, values: Mapping[str, float]) -> None:
    """Write the values of a step inside the caller's transaction; NaN and infinities stay, for a detector to see."""
    rows = [
        {"name": name, "step": step, "value": None if math.isnan(value) else float(value)}
        for name, value in values.items()
    ]
    if rows:
        connection.execute(schema.metrics.insert(), rows)
