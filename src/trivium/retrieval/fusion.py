"""Reciprocal rank fusion: rankings become one ranking, whatever their scores mean.

score(d) = Σ over rankings of 1 / (60 + rank of d), ranks from 1 (Cormack, Clarke and Büttcher 2009). A ranking that
does not hold d adds nothing. Equal scores are ordered by id, so the result does not depend on the order of the
rankings.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeVar

OFFSET = 60


class Ordered(Hashable, Protocol):
    """An id: can be a key and can be sorted."""

    def __lt__(self, other: Any, /) -> bool: ...


Id = TypeVar("Id", bound=Ordered)


def fuse(*rankings: Sequence[Id]) -> list[tuple[Id, float]]:
    """All ids of the rankings with their fused scores, best first, ties by id. A ranking holds an id at most once."""
    scores: dict[Id, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (OFFSET + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
