"""Episodes in the store: put once, found again by id, step, life or outcome.

Always true: an id has one record. A record may be replaced while its episode is unfinished (queued, running, paused),
and once more when an ended one is scored; from then on the first one stands, and a second `put` is a no-op. Invalid
episodes are kept and counted; only when a resumed run redraws one under its own id does the valid record take its
place, which an event of kind ``invalid_replaced`` tells. What `get` returns carries the stored life and every reward
event.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, func, select

from trivium.episode import Episode, Life, StoreError, loads

from . import schema
from .database import Database
from .episode_row import put_row, to_values
from .rewards import rewards_of

_T = schema.episodes.c
_PAGE = 64


class Row(msgspec.Struct, frozen=True):
    """What the table says of an episode beside its record."""

    id: str
    group: str
    task: str
    family: str
    seed: str
    outcome: str | None
    reward: float | None


class Episodes:
    """The episodes of a run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, episode: Episode, *, step: int | None = None) -> bool:
        """Keep an episode that was rolled out for `step`; it is safe from kill -9 when this returns.

        False: the id is stored already and its first record stands. Raises StoreError when the episode claims to be in
        a batch, and when the disk fails.
        """
        return self.put_many([episode], step=step) == 1

    def put_many(self, episodes: Iterable[Episode], *, step: int | None = None) -> int:
        """`put` in one transaction (all or none); returns how many were new or replaced."""
        rows = [(to_values(episode, step), episode) for episode in episodes]
        with self._db.write_fast() as connection:
            return sum(put_row(connection, values, episode) for values, episode in rows)

    def get(self, episode_id: str) -> Episode:
        """The episode with this id. Raises StoreError when there is none, or its record is torn."""
        with self._db.read() as connection:
            row = connection.execute(_RECORDS.where(_T.id == episode_id)).first()
            if row is None:
                raise StoreError(f"no episode {episode_id} in {self._db.path}; list the ids with `ids()`")
            return self._load(connection, row.id, row.life, row.record)

    def find(
        self, *, step: int | None = None, life: Life | None = None, outcome: str | None = None
    ) -> Iterator[Episode]:
        """Episodes in order of arrival, by step, life and outcome (scored, failed, invalid); holds no transaction."""
        return self._scan(_filters(step, life, outcome))

    def ids(self, *, step: int | None = None, life: Life | None = None, outcome: str | None = None) -> list[str]:
        """The ids of `find(...)`, without their records."""
        query = select(_T.id).where(*_filters(step, life, outcome)).order_by(_T.seq)
        with self._db.read() as connection:
            return list(connection.execute(query).scalars())

    def rows(self, step: int) -> list[Row]:
        """The rows of the episodes of `step`, in order of arrival, without their records."""
        columns = [_T[name] for name in Row.__struct_fields__]
        with self._db.read() as connection:
            return [Row(*row) for row in connection.execute(select(*columns).where(_T.step == step).order_by(_T.seq))]

    def pending(self, step: int) -> Iterator[Episode]:
        """Ended or scored episodes of `step` that no batch has taken or dropped: on resume these are not redone.

        Invalid ones are left out: they are redrawn. Unfinished ones: ``find(step=step, life=Life.PAUSED)``.
        """
        taken = select(schema.drops.c.episode)
        finished = _T.life.in_([Life.ENDED, Life.SCORED]) & _T.outcome.is_distinct_from("invalid")
        return self._scan([_T.step == step, finished, _T.id.not_in(taken)])

    def count_lives(self, *, step: int | None = None) -> dict[Life, int]:
        """How many episodes are at each point of their life."""
        return {Life(life): count for life, count in self._count(_T.life, step).items() if life is not None}

    def count_outcomes(self, *, step: int | None = None) -> dict[str, int]:
        """How many episodes were scored, failed and invalid."""
        return {kind: count for kind, count in self._count(_T.outcome, step).items() if kind is not None}

    def _count(self, column: ColumnElement[Any], step: int | None) -> dict[str | None, int]:
        query = select(column, func.count()).where(*_filters(step, None, None)).group_by(column)
        with self._db.read() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def _scan(self, filters: list[ColumnElement[bool]]) -> Iterator[Episode]:
        last = 0
        while True:
            page = _RECORDS.where(_T.seq > last, *filters).order_by(_T.seq).limit(_PAGE)
            with self._db.read() as connection:
                rows = connection.execute(page).all()
                found = [self._load(connection, row.id, row.life, row.record) for row in rows]
            if not rows:
                return
            last = rows[-1].seq
            yield from found

    def _load(self, connection: Connection, episode_id: str, life: str, record: bytes) -> Episode:
        try:
            episode = loads(record)
        except StoreError as error:
            raise StoreError(f"episode {episode_id} in {self._db.path} cannot be read: {error}") from error
        episode.life = Life(life)
        episode.rewards = rewards_of(connection, episode_id)
        return episode


_RECORDS = select(_T.seq, _T.id, _T.life, _T.record)


def _filters(step: int | None, life: Life | None, outcome: str | None) -> list[ColumnElement[bool]]:
    wanted = ((_T.step, step), (_T.life, life), (_T.outcome, outcome))
    return [column == value for column, value in wanted if value is not None]
