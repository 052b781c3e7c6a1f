"""The tables of `run.db`: one schema for training and production.

Always true: an episode has one row; a reward event one row that is never changed; an episode is a member of one batch
at most (UNIQUE) or was dropped with a reason; a batch exists exactly when its checkpoint pointer does.
"""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, UniqueConstraint

VERSION = 3
"""Written to `PRAGMA user_version`. A change of a table raises it and brings a migration."""

MIGRATIONS = {
    1: ("ALTER TABLE batches DROP COLUMN cursor",),
    2: (
        "ALTER TABLE batches ADD COLUMN parent VARCHAR",
        "ALTER TABLE members ADD COLUMN rows VARCHAR NOT NULL DEFAULT ''",
    ),
}
"""What brings a run of this version to the next one."""

AUDITABLE = 3
"""From this version on, batches name their parent and members the rows that were trained."""

APPLICATION = 0x54525631
"""``TRV1``, written to `PRAGMA application_id`: tells a run from any other database."""

metadata = MetaData()

episodes = Table(
    "episodes",
    metadata,
    Column("seq", Integer, primary_key=True, doc="order of arrival"),
    Column("id", String, nullable=False, unique=True),
    Column("step", Integer, doc="the training step it was rolled out for; none in production"),
    Column("group", String, nullable=False),
    Column("task", String, nullable=False),
    Column("family", String, nullable=False),
    Column("seed", String, nullable=False, doc="decimal: seeds may be wider than SQLite's integers"),
    Column("life", String, nullable=False),
    Column("outcome", String, doc="scored, failed, invalid; none until it ends"),
    Column("reward", Float),
    Column("counters", String, nullable=False, doc="JSON object of counts"),
    Column("record", LargeBinary, nullable=False, doc="episode.codec"),
    Index("episodes_by_step", "step", "life"),
    Index("episodes_by_life", "life", "outcome"),
)

rewards = Table(
    "rewards",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("term", String, nullable=False),
    Column("value", Float, nullable=False),
    Column("source", String, nullable=False),
    Column("time", Float, nullable=False, doc="Unix seconds"),
    UniqueConstraint("episode", "term", "source", "time"),
)

metrics = Table(
    "metrics",
    metadata,
    Column("name", String, primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("value", Float, doc="NULL stands for NaN"),
    sqlite_with_rowid=False,
)

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("time", Float, nullable=False),
    Column("kind", String, nullable=False, index=True, doc="redraws_spent, invalid_replaced, start_arm, ..."),
    Column("text", String, nullable=False),
    Column("data", String, nullable=False, doc="JSON"),
)

batches = Table(
    "batches",
    metadata,
    Column("step", Integer, primary_key=True),
    Column("weights", String, nullable=False, doc="id of the weights after this step"),
    Column("parent", String, doc="id of the weights before it; none in runs of before version 3"),
    Column("checkpoint", String, nullable=False, doc="folder, relative to the run"),
    Column("time", Float, nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("episode", ForeignKey("episodes.id"), primary_key=True),
    Column("step", ForeignKey("batches.step"), nullable=False, index=True),
    Column("place", Integer, nullable=False, doc="position in the batch"),
    Column("advantage", Float, nullable=False),
    Column("weights", String, nullable=False, doc="JSON list: every weights id that sampled a token of it"),
    Column("rows", String, nullable=False, server_default="", doc="digest of what the learner read of it"),
    sqlite_with_rowid=False,
)

drops = Table(
    "drops",
    metadata,
    Column("episode", ForeignKey("episodes.id"), primary_key=True),
    Column("step", ForeignKey("batches.step"), nullable=False, index=True),
    Column("reason", String, nullable=False),
    sqlite_with_rowid=False,
)
