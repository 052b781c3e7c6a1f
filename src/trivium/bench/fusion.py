"""Several answers to one task become one: how Context-1's "4x" is scored."""

from collections.abc import Sequence

from trivium.retrieval import fuse


def fuse_answers(answers: Sequence[Sequence[str]], *, limit: int | None = None) -> list[str]:
    """Reciprocal rank fusion of ranked answer lists, best first, at most `limit` ids.

    score(d) = sum over answers of 1 / (60 + rank), ranks from 1, ties by id. An id that a model repeats counts where it
    stands first, so repeating it gains nothing.
    """
    unique = [list(dict.fromkeys(answer)) for answer in answers]
    return [item for item, _ in fuse(*unique)][:limit]
