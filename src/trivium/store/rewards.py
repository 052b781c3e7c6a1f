"""Reward events: append-only.

Always true: (episode, term, source, time) names one event; sending it again changes nothing. A later event of a term
supersedes an earlier one (`Episode.terms`) without erasing it.
"""

import sqlite3
from collections.abc import Iterable

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert

from trivium.episode import Reward

from . import schema
from .statement import Statement

_T = schema.rewards.c
_INSERT = Statement(insert(schema.rewards).on_conflict_do_nothing(), ["episode", "term", "value", "source", "time"])


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
