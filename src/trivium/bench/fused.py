"""Several attempts at one question as one answer: their ranked lists, fused (Context-1's ``4x``)."""

from collections.abc import Sequence

from trivium.episode import DataError
from trivium.retrieval import fuse


def fused(rankings: Sequence[Sequence[str]], limit: int) -> tuple[str, ...]:
    """The first `limit` ids of the lists, fused by reciprocal rank: score(d) = sum of 1 / (60 + rank of d), ties by id.

    An empty list (an attempt that cited nothing) adds nothing. Raises DataError when there is no list.
    """
    if not rankings:
        raise DataError("0 lists cannot be fused; live at least one episode of the question")
    return tuple(item for item, _ in fuse(*rankings))[:limit]
