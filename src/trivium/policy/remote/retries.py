"""How often a request is repeated, and how long is waited before that."""

import random

import msgspec

from trivium.episode import ConfigError

STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Answers that another attempt may fix."""


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """At most `attempts` requests in all; waits grow from `first_s`, doubling, to `longest_s`."""

    attempts: int = 5
    first_s: float = 0.5
    longest_s: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first_s < 0 or self.longest_s < self.first_s:
            raise ConfigError(f"{self} leaves no attempt, or waits backwards; give attempts >= 1 and first <= longest")

    def wait(self, failed: int, asked: float | None, draw: random.Random) -> float:
        """Seconds before the next attempt, after `failed` ones (from 1).

        A draw between half and all of first * 2^(failed - 1), so that many clients do not come back as one; never less
        than the server `asked` for, and never more than `longest_s`.
        """
        grown = min(self.longest_s, self.first_s * 2.0 ** min(failed - 1, 60))
        return min(self.longest_s, max(asked or 0.0, grown * draw.uniform(0.5, 1.0)))


def asked_wait(header: str | None) -> float | None:
    """The seconds of a Retry-After header; None when there is none or it is a date."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
