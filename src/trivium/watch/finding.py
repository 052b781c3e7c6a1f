"""Findings: what is not as it should be, and where to look."""

import msgspec

from trivium.store import ordinal


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: its kind, one sentence with the values, and the place (steps count from 0)."""

    kind: str
    text: str
    step: int | None = None
    episodes: tuple[str, ...] = ()
    """Evidence: the episodes to read."""
    node: int | None = None
    token: int | None = None
    """Place of a token in its node."""

    @property
    def where(self) -> str:
        """The place in words."""
        places = (
            None if self.step is None else f"step {ordinal(self.step)}",
            f"episode {', '.join(self.episodes)}" if self.episodes else None,
            None if self.node is None else f"node #{self.node}",
            None if self.token is None else f"token {self.token}",
        )
        return ", ".join(place for place in places if place)
