"""Which documents a side of the world holds, and how much of each.

Always true: a document's side depends on its own group name alone (its top-level module or folder; one level deeper
where all of these fall on one side, and so on down to its own id), so it is the same on every machine and, while both
sides have groups, in every version of the corpus; but a document of the held-out side whose text is that of a training
document is on no side.
"""

import hashlib
import re
from collections.abc import Sequence

import msgspec

from trivium.episode import ConfigError
from trivium.retrieval import Corpus, Document

_LINKS = re.compile(r"(?: See [\w.]+\.)+$")


def is_held_out(document: Document, share: float, level: int = 0) -> bool:
    """Whether a document is on the held-out side: by a hash of its group, the first parts of its id (`level` + 1)."""
    group = ".".join(_parts(document)[: level + 1])
    return int.from_bytes(hashlib.blake2b(group.encode(), digest_size=4).digest(), "big") < share * 2**32


def sides(documents: Sequence[Document], share: float) -> tuple[list[Document], list[Document], int]:
    """(training documents, held-out documents, how many are on no side). Raises ConfigError when a side is empty."""
    level = _level(documents, share)
    training = [item for item in documents if not is_held_out(item, share, level)]
    texts = {item.text for item in training}
    held_out = [item for item in documents if is_held_out(item, share, level)]
    unseen = [item for item in held_out if item.text not in texts]
    for name, side in (("training", training), ("held-out", unseen)):
        if not side:
            raise ConfigError(
                f"of {len(documents)} documents none is on the {name} side (held_out_share is {share:g}); give more "
                "documents, or another environment.tasks.held_out_share"
            )
    return training, unseen, len(held_out) - len(unseen)


def _level(documents: Sequence[Document], share: float) -> int:
    """The first level at which both sides have groups; the deepest one when none has."""
    deepest = max((len(_parts(item)) for item in documents), default=1)
    levels = (level for level in range(deepest) if len({is_held_out(item, share, level) for item in documents}) == 2)
    return next(levels, deepest)


def _parts(document: Document) -> list[str]:
    return document.id.replace("/", ".").split(".")


def brief(document: Document, limit: int | None) -> Document:
    """The first whole sentences within `limit` characters, and the links that close the text."""
    if limit is None or len(document.text) <= limit:
        return document
    found = _LINKS.search(document.text)
    links = found.group() if found else ""
    head = document.text[: len(document.text) - len(links)][:limit]
    end = head.rfind(". ")
    head = head[: end + 1] if end > 0 else head.rsplit(" ", 1)[0]
    return msgspec.structs.replace(document, text=head + links)


def corpus_without_outside_links(documents: list[Document]) -> Corpus:
    """A corpus of these documents, without links that lead out of it."""
    ids = {item.id for item in documents}
    return Corpus(
        tuple(
            msgspec.structs.replace(item, links=tuple(link for link in item.links if link in ids)) for item in documents
        )
    )
