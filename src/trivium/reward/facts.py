"""What a search task holds to be true, and what an episode did: the reward is a function of these two."""

import msgspec

from trivium.episode import DataError


class SearchFacts(msgspec.Struct, frozen=True):
    """The truth of a task: the chunk ids of every fact."""

    gold: tuple[frozenset[str], ...]
    """One set per fact: any of its chunks proves it. A document is ``frozenset({id})``."""

    def __post_init__(self) -> None:
        if not self.gold or not all(self.gold):
            raise DataError(f"the gold facts are {self.gold}; a task needs at least one fact, each with a chunk")

    @property
    def gold_ids(self) -> frozenset[str]:
        """Every chunk that proves some fact."""
        return frozenset().union(*self.gold)


class SearchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What happened, in the ids of `SearchFacts`."""

    met: frozenset[str]
    """Everything shown by search, grep or read at any time, pruned or not."""
    output: tuple[str, ...]
    """What was returned, best first."""
    answered: bool = False
    """Did what was returned hold a chunk with the answer?"""
    turns: int
    """Model actions, each with all its parallel calls."""
    prune_only: tuple[bool, ...]
    """Per turn: did it hold prune calls and nothing else?"""
    malformed: int = 0
    """Broken calls: unreadable, to an unknown tool, or with arguments that do not fit."""

    def __post_init__(self) -> None:
        if len(self.prune_only) != self.turns:
            raise DataError(
                f"the record has {self.turns} turns and {len(self.prune_only)} in prune_only; give each turn one"
            )
