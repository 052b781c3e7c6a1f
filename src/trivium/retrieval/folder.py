"""A folder of files, or a single file, as a corpus.

Files are taken in the order of their paths; hidden ones and symbolic links are passed over. A text file is one
document whose id is its path below the folder; a JSONL file holds a document a line, with the fields `_id` or `id`
(else `name-line`), `title`, `text` and `links`. Nothing that is wrong with a file stops the reading or goes
unreported.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from trivium.episode import DataError

from .document import Corpus, ProgressCallback
from .lines import LINE_LIMIT, decode, list_field, read_records, text_field
from .links import Draft, link
from .markup import PAGES
from .report import Skip, Tally

JSONL = (".jsonl", ".ndjson")
READABLE = "md, rst, txt, html, py, jsonl"


def load_folder(path: Path, progress: ProgressCallback | None = None) -> Corpus:
    """The documents under `path`, not yet chunked. Raises DataError when it does not exist, or holds none."""
    if not path.exists():
        raise DataError(f"the corpus path {path} does not exist; give a folder or file that holds {READABLE}")
    tally = Tally()
    drafts = unique(_drafts(path, tally, progress), tally)
    return finish(path, drafts, tally, progress)


def finish(path: Path, drafts: list[Draft], tally: Tally, progress: ProgressCallback | None) -> Corpus:
    """The corpus of `drafts` read from `path`; DataError when there are none."""
    if not drafts:
        skipped = "".join(f"; {line.rstrip('.')}" for line in tally.report(0).lines()[1:])
        raise DataError(f"{path} holds no document; add files of type {READABLE} that hold text{skipped}")
    documents = link(drafts, progress)
    return Corpus(documents, report=tally.report(len(documents)))


def unique(drafts: Iterator[Draft], tally: Tally) -> list[Draft]:
    """The drafts that have text and an id not seen before; the others are noted."""
    kept: dict[str, Draft] = {}
    for draft in drafts:
        if not draft.text.strip():
            tally.note(Skip.EMPTY, draft.id)
        elif draft.id in kept:
            tally.note(Skip.DUPLICATE_ID, draft.id)
        else:
            kept[draft.id] = draft
    return list(kept.values())


def record_drafts(path: Path, tally: Tally, need_id: bool) -> Iterator[Draft]:
    """The documents of a JSONL file; with `need_id` a record without an id is noted and left out."""
    for number, record in read_records(path, tally):
        identity, text = text_field(record, "_id", "id"), text_field(record, "text")
        if text is None or (need_id and not identity):
            tally.note(Skip.MISSING_FIELD, f"{path.name} line {number}")
            continue
        name = identity or f"{path.stem}-{number}"
        yield Draft(name, text_field(record, "title") or name, text, list_field(record, "links"))


def _drafts(root: Path, tally: Tally, progress: ProgressCallback | None) -> Iterator[Draft]:
    files = [root] if root.is_file() else sorted(_files(root))
    base = root.parent if root.is_file() else root
    for done, file in enumerate(files):
        try:
            yield from _file_drafts(file, file.relative_to(base).as_posix(), tally)
        except OSError as error:
            tally.note(Skip.UNREADABLE, f"{file.name}: {error.strerror}")
        if progress and (done % 256 == 0 or done + 1 == len(files)):
            progress("read", done + 1, len(files))


def _files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".") and name != "__pycache__"]
        paths = (Path(folder, file) for file in files if not file.startswith("."))
        yield from (path for path in paths if not path.is_symlink() and path.is_file())


def _file_drafts(path: Path, name: str, tally: Tally) -> Iterator[Draft]:
    suffix = path.suffix.lower()
    if suffix in JSONL:
        yield from record_drafts(path, tally, need_id=False)
    elif suffix not in PAGES:
        tally.note(Skip.UNSUPPORTED, name)
    elif path.stat().st_size > LINE_LIMIT:
        tally.note(Skip.LONG_LINE, name)
    else:
        data = path.read_bytes()
        if b"\0" in data[:4096]:
            tally.note(Skip.BINARY, name)
            return
        page = PAGES[suffix](path.stem, decode(data, name, tally))
        yield Draft(name, page.title, page.text, page.targets, page.labels)
