"""One row of the table of episodes: what is written, and when a stored one may be replaced."""

import json
import sqlite3
from typing import Any, TypeAlias

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from trivium.episode import Episode, Failed, Life, Scored, StoreError, dumps, loads

from . import schema
from .journal import insert_event
from .rewards import insert_rewards
from .statement import Statement

_T = schema.episodes.c
Values: TypeAlias = dict[str, Any]

_NEW = insert(schema.episodes)
_COLUMNS = [column.name for column in _T if column.name not in ("seq", "id")]
_UPSERT = Statement(
    _NEW.on_conflict_do_update(
        index_elements=[_T.id],
        set_={name: _NEW.excluded[name] for name in _COLUMNS},
        where=or_(
            *(_T.life == life for life in (Life.QUEUED, Life.RUNNING, Life.PAUSED)),
            (_T.life == Life.ENDED) & (_NEW.excluded.life == Life.SCORED),
        ),
    ),
    ["id", *_COLUMNS],
)
_STORED = Statement(select(_T.outcome, _T.record).where(_T.id == bindparam("id")))
_REPLACE = Statement(update(schema.episodes).where(_T.id == bindparam("id")), _COLUMNS)


def to_values(episode: Episode, step: int | None) -> Values:
    """The row of an episode. Raises StoreError when it claims to be in a batch already."""
    if episode.life is Life.TRAINED:
        raise StoreError(f"episode {episode.id} is put as {episode.life}; only `commit_batch` brings it there")
    outcome = episode.outcome
    return {
        "id": episode.id,
        "step": step,
        "group": episode.group,
        "task": episode.task.id,
        "family": episode.task.family,
        "seed": str(episode.seed),
        "life": episode.life,
        "outcome": None if outcome is None else type(outcome).__name__.lower(),
        "reward": outcome.reward if isinstance(outcome, Scored | Failed) else None,
        "counters": json.dumps(episode.counters),
        "record": dumps(episode),
    }


def put_row(connection: sqlite3.Connection, values: Values, episode: Episode) -> bool:
    """Write a row and its reward events; False when the stored one stands."""
    if connection.execute(_UPSERT.sql, _UPSERT.bind(values)).rowcount > 0:
        insert_rewards(connection, episode.id, episode.rewards)
        return True
    outcome, record = connection.execute(_STORED.sql, {"id": episode.id}).fetchone()
    if outcome != "invalid" or values["outcome"] not in ("scored", "failed"):
        return False
    insert_event(connection, "invalid_replaced", f"episode {episode.id} was {loads(record).outcome}, then redrawn")
    connection.execute(_REPLACE.sql, values)
    insert_rewards(connection, episode.id, episode.rewards)
    return True
