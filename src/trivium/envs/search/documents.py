"""Which documents a side of the world holds, and how much of each.

Always true: a document's side depends on its own group name (its top-level module or folder) alone, so it is the same
on every machine and in every version of the corpus; but a document of the held-out side whose text is that of a
training document is on no side.
"""

import hashlib
import re
from collections.abc import Sequence

import msgspec

from trivium.retrieval import Corpus, Document

_LINKS = re.compile(r"(?: See [\w.]+\.)+$")


def is_held_out(document: Document, share: float) -> bool:
    """Whether a document is on the held-out side: by a hash of its group, the first part of its id."""
    group = document.id.replace("/", ".").split(".")[0]
    return int.from_bytes(hashlib.blake2b(group.encode(), digest_size=4).digest(), "big") < share * 2**32


def sides(documents: Sequence[Document], share: float) -> tuple[list[Document], list[Document], int]:
    """(training documents, held-out documents, how many are on no side)."""
    training = [item for item in documents if not is_held_out(item, share)]
    texts = {item.text for item in training}
    held_out = [item for item in documents if is_held_out(item, share)]
    unseen = [item for item in held_out if item.text not in texts]
    return training, unseen, len(held_out) - len(unseen)


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


def closed(documents: list[Document]) -> Corpus:
    """A corpus of these documents, without links that lead out of it."""
    ids = {item.id for item in documents}
    return Corpus(
        tuple(
            msgspec.structs.replace(item, links=tuple(link for link in item.links if link in ids)) for item in documents
        )
    )
