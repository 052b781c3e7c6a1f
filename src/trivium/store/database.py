"""The SQLite file under a run: connections, transactions, and every failure turned into one clear StoreError.

Always true: writes happen inside `write()` (BEGIN IMMEDIATE ... COMMIT: all or nothing), reads inside `read()`. The
journal is a write-ahead log with synchronous = NORMAL: what was acknowledged survives the death of the process (kill
-9), because the kernel already has it; a power cut may lose what came after the last `flush()`, never corrupts.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from trivium.episode import StoreError

from . import schema

_WAYS_OUT = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and resume",
    sqlite3.SQLITE_READONLY: "it may not be written; check the permissions of the folder, or open it for reading only",
    sqlite3.SQLITE_CORRUPT: "it is damaged; restore it from a copy, or rescue what is whole with `sqlite3 .recover`",
    sqlite3.SQLITE_NOTADB: "it is no database; restore it from a copy or choose another folder",
    sqlite3.SQLITE_BUSY: "another process kept it locked for 30 s; stop that process",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that the folder exists and its permissions",
    sqlite3.SQLITE_IOERR: "the disk gave an error; check that it is healthy and not full, then resume",
}


class Database:
    """`run.db`, opened for writing (made if absent) or for reading only."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        address = f"{path.resolve().as_uri()}?mode={'ro' if readonly else 'rwc'}"
        self._reader = create_engine("sqlite://", creator=lambda: _connect(address), poolclass=QueuePool)
        if not readonly:
            event.listen(self._reader, "connect", _configure)
        event.listen(self._reader, "begin", _begin)
        self._writer = self._reader.execution_options(begin="IMMEDIATE")
        try:
            with self._speak():
                if not readonly:
                    self._create()
                self._check_version()
                if not readonly:
                    self._check_whole()
                    self._migrate()
        except StoreError:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database."""
        with self._speak(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is committed whole when the block ends, and rolled back when it raises."""
        with self._speak(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def write_fast(self) -> Iterator[sqlite3.Connection]:
        """`write` on the driver's own connection: for `Statement`s on the hot path, a tenth of the overhead."""
        with self._speak(), self._reader.connect() as connection:
            raw = _raw(connection)
            raw.execute("BEGIN IMMEDIATE")
            try:
                yield raw
                raw.execute("COMMIT")
            except BaseException:
                if raw.in_transaction:  # a full disk may have rolled it back already
                    raw.execute("ROLLBACK")
                raise

    def flush(self) -> None:
        """Bring everything committed so far onto the disk, so that it survives a power cut too."""
        with self._speak(), self._reader.connect() as connection:
            _raw(connection).execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close every connection; the last one folds the log into `run.db`."""
        self._reader.dispose()

    def _create(self) -> None:
        with self._writer.begin() as connection:
            if not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one():
                connection.exec_driver_sql(f"PRAGMA application_id = {schema.APPLICATION}")
                connection.exec_driver_sql(f"PRAGMA user_version = {schema.VERSION}")
                schema.metadata.create_all(connection)

    def _check_version(self) -> None:
        with self._reader.begin() as connection:
            application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
            version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if application != schema.APPLICATION:
            raise StoreError(f"{self.path} is a database, but not of a Trivium run; choose another folder")
        if version > schema.VERSION:
            raise StoreError(
                f"{self.path} has schema {version} and this Trivium reads up to {schema.VERSION}; upgrade Trivium"
            )
        self.version: int = version

    def _check_whole(self) -> None:
        """Refuse a file that is torn or cut before anything is added to it; reads it once (a gigabyte in seconds)."""
        with self._reader.begin() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            where = found.removeprefix("*** in database main ***").strip()
            raise StoreError(f"{self.path} is not whole ({where}): {_WAYS_OUT[sqlite3.SQLITE_CORRUPT]}")

    def _migrate(self) -> None:
        with self._writer.begin() as connection:
            version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
            for older in range(version, schema.VERSION):
                for statement in schema.MIGRATIONS[older]:
                    connection.exec_driver_sql(statement)
                connection.exec_driver_sql(f"PRAGMA user_version = {older + 1}")
        self.version = schema.VERSION

    @contextmanager
    def _speak(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(self._sentence(error)) from error

    def _sentence(self, error: Exception) -> str:
        cause = getattr(error, "orig", None) or error
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        way_out = _WAYS_OUT.get(code, "this is a fault of the store; please report it")
        return f"{self.path} failed with '{cause}': {way_out}"


def _raw(connection: Connection) -> Any:
    """The sqlite3 connection itself, outside every transaction."""
    return connection.connection.driver_connection


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=30, check_same_thread=False, isolation_level=None)


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")
