"""Links between documents: what one document says about another.

A link is explicit (a target written in the document: a path, an id, a title or a label) or a mention (the exact title
of another document in the text). Links are ids of documents that exist, without repetitions and without the document
itself. A title that several documents share names none of them. Explicit links come first, then mentions in order.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

import msgspec

from .document import Document, ProgressCallback

WORD = re.compile(r"\w+")
EXTERNAL = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
QUALIFIER = re.compile(r" \([^()]*\)$")  # "Ed Wood (film)" is mentioned as "Ed Wood"
SUFFIXES = ("", ".md", ".rst", ".html", ".txt", "/index.md", "/index.rst", "/index.html")
LONG_TITLE = 6  # characters; a title of one word shorter than this is too often a mere word


class Draft(msgspec.Struct, frozen=True):
    """A document before its links are known: `targets` as written, `labels` under which others may refer to it."""

    id: str
    title: str
    text: str
    targets: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def link(drafts: Sequence[Draft], progress: ProgressCallback | None = None) -> tuple[Document, ...]:
    """The documents of `drafts`, with targets resolved and titles found."""
    find, titles = _resolver(drafts), Titles(drafts)
    documents = []
    for done, draft in enumerate(drafts):
        found = [find(draft, target) for target in draft.targets]
        ids = dict.fromkeys(item for item in (*found, *titles.mentions(draft.text)) if item and item != draft.id)
        documents.append(Document(draft.id, draft.title, draft.text, tuple(ids)))
        if progress and (done % 1024 == 0 or done + 1 == len(drafts)):
            progress("link", done + 1, len(drafts))
    return tuple(documents)


def _resolver(drafts: Sequence[Draft]) -> Callable[[Draft, str], str | None]:
    """A function from a draft and one of its targets to the id of the document meant, or None."""
    ids = {draft.id for draft in drafts}
    names = _unique((name.casefold(), draft.id) for draft in drafts for name in (draft.title, *draft.labels))

    def find(draft: Draft, target: str) -> str | None:
        if target in ids:
            return target
        if EXTERNAL.match(target):
            return None
        path = unquote(re.split("[#?]", target, maxsplit=1)[0])
        if path:
            base = "" if path.startswith("/") else posixpath.dirname(draft.id)
            place = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
            for suffix in SUFFIXES:
                if place + suffix in ids:
                    return place + suffix
        return names.get(target.lstrip("~").casefold())

    return find


class Titles:
    """Finds the titles of documents in a text; the longest title at a place wins."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        full = _unique((draft.title, draft.id) for draft in drafts)
        short = _unique((QUALIFIER.sub("", draft.title), draft.id) for draft in drafts)
        self._by_word: dict[str, list[tuple[str, str]]] = {}
        for title, document_id in sorted((short | full).items(), key=lambda pair: -len(pair[0])):
            first = WORD.match(title)
            if first and (title[0].isupper() or title[0].isdigit()) and (" " in title or len(title) >= LONG_TITLE):
                self._by_word.setdefault(first.group(), []).append((title, document_id))

    def mentions(self, text: str) -> Iterator[str]:
        """Ids of the documents whose titles occur in `text` as whole words, in order."""
        end = 0
        for match in WORD.finditer(text):
            if match.start() < end:
                continue
            for title, document_id in self._by_word.get(match.group(), ()):
                stop = match.start() + len(title)
                if text.startswith(title, match.start()) and not WORD.match(text[stop : stop + 1]):
                    yield document_id
                    end = stop
                    break


def _unique(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    """The names that belong to exactly one id, with it."""
    owners: dict[str, str] = {}
    shared: set[str] = set()
    for name, owner in pairs:
        if owners.setdefault(name, owner) != owner:
            shared.add(name)
    return {name: owner for name, owner in owners.items() if name and name not in shared}
