"""Typed statements compiled once: SQLAlchemy's checks at import time, sqlite3's speed on the hot path."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ClauseElement
from sqlalchemy.dialects import sqlite


class Statement:
    """The SQL of a statement whose values come later, for `Database.write_fast`; `columns` are those of an insert."""

    def __init__(self, statement: ClauseElement, columns: Sequence[str] = ()) -> None:
        compiled = statement.compile(dialect=sqlite.dialect(paramstyle="named"), column_keys=list(columns))
        self.sql = str(compiled)
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}

    def bind(self, values: dict[str, Any]) -> dict[str, Any]:
        """The parameters of one execution: the row's values and the statement's own constants."""
        return {**self._constants, **values}
