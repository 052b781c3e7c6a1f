"""The documentation that every Python carries, as a corpus.

Its documents are the public modules, classes, functions and methods of the standard library that have a docstring,
under their qualified names (`json.dumps`, `collections.OrderedDict.move_to_end`, `dict.keys`), and the language
topics (`topic.assert`). Python sources are parsed, not run, so the same Python always gives the same corpus. A link
is a name that the text mentions, or a structural fact: the bases of a class, or the method that a method overrides;
for such a link the text ends with "See NAME.".
"""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from trivium.episode import DataError
from trivium.retrieval.cache import Cache
from trivium.retrieval.document import Corpus, Document, ProgressCallback, content_hash
from trivium.retrieval.report import LoadReport, Skip, Tally

from .builtin import builtin_entries
from .docstrings import Entry, Source, is_public, read_source
from .names import Names, publish
from .prose import first_paragraphs, mentions, readable
from .topics import topics

_SKIPPED = """
test tests idlelib lib2to3 idle_test turtledemo ensurepip pydoc_data site-packages dist-packages lib-dynload
__pycache__ ntpath nturl2path __phello__ antigravity this
"""
SKIPPED = frozenset(_SKIPPED.split())
FORMAT = "2"  # raised when what is read from the same sources changes
PLAIN = frozenset(("object", "type", "Exception", "BaseException", "abc.ABC"))  # links to these tell nothing
WORDS = 3  # a docstring of fewer says nothing


def load_stdlib(
    root: Path | None = None, cache: Cache | None = None, progress: ProgressCallback | None = None
) -> Corpus:
    """The standard library under `root` (else that of this Python), not yet chunked; seconds, or at once from `cache`.

    Raises DataError when there are no Python sources under `root`.
    """
    place, store = root or Path(sysconfig.get_paths()["stdlib"]), cache or Cache()
    files = _files(place)
    if not files:
        raise DataError(f"{place} holds no Python sources; use a Python whose standard library is on disk as .py files")
    stamps = (f"{path} {(stat := path.stat()).st_size} {stat.st_mtime_ns}" for path in files)
    key = f"stdlib-{content_hash([FORMAT, sys.version, str(root), *stamps])}"
    try:
        found = msgspec.json.decode((store.load(key) or {})["json"].tobytes(), type=_Stored)
    except (KeyError, msgspec.MsgspecError):  # missing, or of another shape
        found = _read(place, files, root is None, progress)
        store.store(key, {"json": np.frombuffer(msgspec.json.encode(found), np.uint8)})
    return Corpus(found.documents, report=found.report)


class _Stored(msgspec.Struct):
    documents: tuple[Document, ...]
    report: LoadReport


def _read(root: Path, files: list[Path], with_builtins: bool, progress: ProgressCallback | None) -> _Stored:
    tally = Tally()
    sources = publish(list(_sources(root, files, tally, progress)))
    entries = {entry.name: entry for source in sources for entry in source.entries if is_public(entry.name)}
    for entry in builtin_entries() if with_builtins else ():
        if entry.name not in entries or not entries[entry.name].doc:
            entries[entry.name] = entry
    documents = list(_documents(entries, Names(sources, entries), tally))
    documents += topics({document.id for document in documents}) if with_builtins else ()
    documents.sort(key=lambda document: document.id)
    return _Stored(tuple(documents), tally.report(len(documents)))


def _files(root: Path) -> list[Path]:
    """The sources under `root` that are read, by path."""
    found: list[Path] = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in SKIPPED]
        found += [Path(folder, file) for file in files if file.endswith(".py") and file[:-3] not in SKIPPED]
    code_pages = root / "encodings"  # a hundred modules that say the same
    return sorted(path for path in found if path.parent != code_pages or path.name == "__init__.py")


def _sources(root: Path, files: list[Path], tally: Tally, progress: ProgressCallback | None) -> Iterator[Source]:
    """The parsed modules of `files`."""
    for done, path in enumerate(files):
        name = _module(path, root)
        try:
            yield read_source(name, path.read_bytes(), path.name == "__init__.py")
        except (OSError, SyntaxError, ValueError) as error:
            tally.note(Skip.UNREADABLE, f"{name}: {error}")
        if progress and (done % 64 == 0 or done + 1 == len(files)):
            progress("read", done + 1, len(files))


def _module(path: Path, root: Path) -> str:
    """The dotted name of the module in a file."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _documents(entries: dict[str, Entry], names: Names, tally: Tally) -> Iterator[Document]:
    """A document for every entry whose docstring says something."""
    raw = {name: first_paragraphs(entry.doc) for name, entry in entries.items()}
    documented = {name for name, text in raw.items() if len(readable(text).split()) >= WORDS}
    targets = documented - PLAIN
    for name, entry in entries.items():
        if name not in documented:
            tally.note(Skip.UNDOCUMENTED, name)
            continue
        facts = [fact for fact in structure(entry, entries, names) if fact in targets and fact != name]
        mentioned = [meant(word, entry, names) for word in mentions(raw[name])]
        links = dict.fromkeys(link for link in (*mentioned, *facts) if link in targets and link != name)
        sentences = "".join(f" See {fact}." for fact in facts)
        yield Document(name, name, readable(raw[name]) + sentences, tuple(links))


def meant(word: str, entry: Entry, names: Names) -> str | None:
    """The name that `word` in the text of `entry` links to; a bare builtin links only when it is called (`len()`)."""
    bare = word.removesuffix("()")
    found = names.find(bare, entry)
    return None if found == word and "." not in word else found


def structure(entry: Entry, entries: dict[str, Entry], names: Names) -> list[str]:
    """Names of the documented-or-not bases of a class, or of the nearest method that a method overrides."""
    if entry.bases:
        return list(dict.fromkeys(base for written in entry.bases if (base := names.base(written, entry))))
    member = entry.name.rpartition(".")[2]
    for ancestor in names.ancestors(entry.owner):
        overridden = entries.get(f"{ancestor}.{member}")
        if overridden is not None and overridden.doc:
            return [overridden.name]
    return []
