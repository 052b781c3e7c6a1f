"""The ledger: which episodes were trained at which step, and where the run goes on.

Always true: a batch, its members, their new life, the dropped episodes, the metrics and the checkpoint pointer are one
transaction: after kill -9 all of it is there or none. An episode is in one batch at most. Steps rise; what follows the
last one is a function of the recipe and its number.
"""

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, bindparam, func, literal, select, update

from trivium.episode import Life, StoreError

from . import schema
from .database import Database
from .journal import Note, insert_metrics, insert_notes
from .steps import ordinal

_B = schema.batches.c
_M = schema.members.c
_D = schema.drops.c
_E = schema.episodes.c
_STANDING = select(_E.id, _E.life, _E.outcome, func.coalesce(_M.step, _D.step).label("used")).select_from(
    schema.episodes.outerjoin(schema.members, _M.episode == _E.id).outerjoin(schema.drops, _D.episode == _E.id)
)
_TRAIN = (
    update(schema.episodes)
    .where(_E.id.in_(select(_M.episode).where(_M.step == bindparam("this_step"))))
    .values(life=Life.TRAINED)
)


class Member(msgspec.Struct, frozen=True):
    """An episode in a batch: its advantage, the id of every weights that sampled a token of it, and the digest of the
    `rows` that the learner read of it (empty where the run is older than that)."""

    episode: str
    advantage: float
    weights: tuple[str, ...] = ()
    rows: str = ""


class Commit(msgspec.Struct, frozen=True):
    """A committed step: the weights after it, their checkpoint folder (relative to the run), and the weights before it
    (None where the run is older than that)."""

    step: int
    weights: str
    checkpoint: str
    parent: str | None = None

    @property
    def steps_done(self) -> int:
        """Steps behind its weights, as people name it (`RUN@1`: after the first)."""
        return ordinal(self.step)


class Ledger:
    """The committed batches of a run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def commit_batch(
        self,
        step: int,
        members: Sequence[Member],
        *,
        weights: str,
        checkpoint: str,
        parent: str | None = None,
        metrics: Mapping[str, float] | None = None,
        dropped: Mapping[str, str] | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        """Commit a trained batch, whole or not at all; `dropped` maps episodes of constant groups and such to why;
        `notes` become events.

        `checkpoint` is what `Checkpoints.write` returned. Members become TRAINED. On return the commit survives a power
        cut too. Raises StoreError, naming it, for an episode that is used up or has no reward, and for a step or
        checkpoint that cannot be.
        """
        if not (self._db.path.parent / checkpoint).is_dir():
            why = f"checkpoint {checkpoint} of step {ordinal(step)} is not in the run"
            raise StoreError(f"{why}; write it before the commit")
        batch = {"weights": weights, "parent": parent, "checkpoint": checkpoint, "time": time.time()}
        drops = dropped or {}
        with self._db.write() as connection:
            _check_step(connection, step)
            connection.execute(schema.batches.insert(), {"step": step, **batch})
            _check_free(connection, [*(member.episode for member in members), *drops])
            _insert(connection, schema.members, [_row(step, *pair) for pair in enumerate(members)])
            _insert(connection, schema.drops, [{"episode": e, "step": step, "reason": why} for e, why in drops.items()])
            connection.execute(_TRAIN, {"this_step": step})
            insert_metrics(connection, step, metrics or {})
            insert_notes(connection, notes)
        self._db.flush()

    def latest(self) -> Commit | None:
        """The commit to resume from; None in a fresh run."""
        return next(iter(self._commits(last=1)), None)

    def commits(self) -> list[Commit]:
        """Every commit, by step."""
        return self._commits()[::-1]

    def commit_at(self, steps_done: int | None = None) -> Commit | None:
        """The commit after so many steps, the latest one where that is not said; None where there is none."""
        if steps_done is None:
            return self.latest()
        return next((commit for commit in self.commits() if commit.steps_done == steps_done), None)

    def members(self, step: int) -> list[Member]:
        """The batch of a step, in its order."""
        columns = (_M.episode, _M.advantage, _M.weights, self._later(_M.rows, ""))
        query = select(*columns).where(_M.step == step).order_by(_M.place)
        with self._db.read() as connection:
            found = connection.execute(query).all()
        return [Member(who, gain, tuple(json.loads(ids)), rows) for who, gain, ids, rows in found]

    def dropped(self, step: int) -> dict[str, str]:
        """Episodes that a step dropped, and why."""
        with self._db.read() as connection:
            rows = connection.execute(select(_D.episode, _D.reason).where(_D.step == step))
            return {row.episode: row.reason for row in rows}

    def _commits(self, last: int | None = None) -> list[Commit]:
        columns = (_B.step, _B.weights, _B.checkpoint, self._later(_B.parent, None))
        query = select(*columns).order_by(_B.step.desc()).limit(last)
        with self._db.read() as connection:
            return [Commit(*row) for row in connection.execute(query)]

    def _later(self, column: ColumnElement[Any], absent: str | None) -> ColumnElement[Any]:
        """A column that an older run, opened for reading only, does not have."""
        return column if self._db.version >= schema.AUDITABLE else literal(absent).label(column.key)


def _check_step(connection: Connection, step: int) -> None:
    last = connection.execute(select(func.max(_B.step))).scalar_one()
    if last is not None and step <= last:
        why = f"step {ordinal(step)} cannot be committed after step {ordinal(last)}"
        raise StoreError(f"{why}; resume from the latest commit")


def _check_free(connection: Connection, ids: Sequence[str]) -> None:
    """Refuse an episode that is unknown, has no reward, or is used up."""
    found = {}
    for start in range(0, len(ids), 500):
        rows = connection.execute(_STANDING.where(_E.id.in_(ids[start : start + 500])))
        found.update({row.id: row for row in rows})
    seen: set[str] = set()
    for episode in ids:
        row = found.get(episode)
        if row is None:
            raise StoreError(f"episode {episode} is in a batch but not in the store; put it first")
        if episode in seen or row.used is not None:
            where = "twice in this batch" if row.used is None else f"trained or dropped at step {ordinal(row.used)}"
            raise StoreError(f"episode {episode} is {where}; an episode enters one batch, once")
        if row.outcome not in ("scored", "failed"):
            raise StoreError(f"episode {episode} is {row.outcome or row.life} and has no reward; redraw or score it")
        seen.add(episode)


def _row(step: int, place: int, member: Member) -> dict[str, Any]:
    if not math.isfinite(member.advantage):
        raise StoreError(f"episode {member.episode} has advantage {member.advantage}; fix its group's rewards")
    weights = json.dumps(member.weights)
    row = {"episode": member.episode, "step": step, "place": place, "advantage": member.advantage}
    return {**row, "weights": weights, "rows": member.rows}


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(table.insert(), rows)
