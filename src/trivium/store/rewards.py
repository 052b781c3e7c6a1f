"""Reward events: append-only; some come days after their episode.

Always true: (episode, term, source, time) names one event; sending it again changes nothing. A later event of a term
supersedes an earlier one (`Episode.terms`) without erasing it.
"""

import sqlite3
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.dialects.sqlite import insert

from trivium.episode import Reward, StoreError

from . import schema
from .database import Database
from .statement import Statement

_T = schema.rewards.c
_E = schema.episodes.c

_KNOWN = Statement(select(_E.seq).where(_E.id == bindparam("id")))
_INSERT = Statement(insert(schema.rewards).on_conflict_do_nothing(), ["episode", "term", "value", "source", "time"])


class Rewards:
    """The reward events of a run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_rewards(self, episode_id: str, rewards: Iterable[Reward]) -> None:
        """Append events to a stored episode. Raises StoreError when there is no such episode."""
        with self._db.write_fast() as connection:
            if connection.execute(_KNOWN.sql, _KNOWN.bind({"id": episode_id})).fetchone() is None:
                raise StoreError(f"no episode {episode_id} in {self._db.path} to reward; put the episode first")
            insert_rewards(connection, episode_id, rewards)

    def rewards(self, episode_id: str) -> list[Reward]:
        """All events of an episode, oldest first."""
        with self._db.read() as connection:
            return rewards_of(connection, episode_id)

    def term_means(self, *, step: int) -> dict[str, dict[str, float]]:
        """Mean of the latest value of every term per task family, over the scored episodes of a step."""
        newest = func.row_number().over(partition_by=(_T.episode, _T.term), order_by=(_T.time.desc(), _T.seq.desc()))
        latest = (
            select(_E.family, _T.term, _T.value, newest.label("age"))
            .join_from(schema.rewards, schema.episodes)
            .where(_E.step == step, _E.outcome == "scored")
            .subquery()
        )
        c = latest.c
        query = select(c.family, c.term, func.avg(c.value)).where(c.age == 1).group_by(c.family, c.term)
        means: dict[str, dict[str, float]] = {}
        with self._db.read() as connection:
            for family, term, mean in connection.execute(query):
                means.setdefault(family, {})[term] = mean
        return means


def insert_rewards(connection: sqlite3.Connection, episode_id: str, rewards: Iterable[Reward]) -> None:
    """Append events inside the caller's transaction."""
    connection.executemany(
        _INSERT.sql,
        [
            {"episode": episode_id, "term": r.term, "value": r.value, "source": r.source, "time": r.time}
            for r in rewards
        ],
    )


def rewards_of(connection: Connection, episode_id: str) -> list[Reward]:
    """All events of an episode, oldest first, inside the caller's transaction."""
    query = select(_T.term, _T.value, _T.source, _T.time).where(_T.episode == episode_id).order_by(_T.time, _T.seq)
    return [Reward(*row) for row in connection.execute(query)]
