"""A check of `trivium doctor`: what was looked at, what was found, and the way out."""

from enum import StrEnum

import msgspec


class Grade(StrEnum):
    """How grave a check is."""

    GOOD = "ok"
    NOTE = "note"
    MISSING = "missing"

    @property
    def style(self) -> str:
        """Its colour."""
        return {"ok": "green", "note": "yellow", "missing": "red"}[self.value]


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at: what was found, and the way out where something is wrong."""

    grade: Grade
    what: str
    found: str
    remedy: str = ""
