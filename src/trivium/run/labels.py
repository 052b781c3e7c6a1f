"""People's labels: a blind sheet of tasks, and how far people agree with the verifier.

Always true: the sheet shows no verdict and its order tells none; the same folder, seed and size give the same sheet;
what a row is about is found again by its id, a hash that says nothing.
"""

import csv
import hashlib
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from trivium.bench import Agreement, agreement
from trivium.envs.search.pipeline import Item, Line, read_lines
from trivium.episode import ConfigError, DataError
from trivium.retrieval import load_beir

from .making import LEDGER

COLUMNS = ("id", "question", "answer", "passages", "good")
YES, NO = frozenset({"yes", "y", "1", "true"}), frozenset({"no", "n", "0", "false"})
SHOWN = 2000
"""Letters of a passage at most."""


class Labels(msgspec.Struct, frozen=True):
    """What a filled sheet says."""

    agreement: Agreement
    labelled: int
    blank: int


def write_sheet(folder: Path, sheet: Path, count: int, seed: int) -> int:
    """A CSV of up to `count` tasks, half of them refused ones where there are enough; returns how many.

    Raises ConfigError when the folder holds no task, or the sheet exists or cannot be written.
    """
    lines = _drawn(read_lines(folder / LEDGER), count, seed)
    corpus = load_beir(folder).corpus
    texts = {item.id: f"{item.title}\n{item.text}"[:SHOWN] for item in corpus.documents}
    try:
        with sheet.open("x", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(_row(line, texts, seed) for line in lines)
    except OSError as error:
        raise ConfigError(f"{sheet} was not written ({error.strerror}); choose another file") from error
    return len(lines)


def agree(folder: Path, sheet: Path, seed: int) -> Labels:
    """How far a filled sheet agrees with the verifier. Raises DataError for a row that cannot be read."""
    verdicts = {_opaque(line, seed): line.accepted for line in read_lines(folder / LEDGER)}
    pairs: list[tuple[bool, bool]] = []
    blank = 0
    for number, row in enumerate(_rows(sheet), 2):
        said = (row.get("good") or "").strip().lower()
        if row.get("id") not in verdicts:
            raise DataError(f"{sheet} row {number} is of no task of {folder} under seed {seed}; give the sheet's own")
        if said and said not in YES | NO:
            raise DataError(f"{sheet} row {number}: good is {said!r:.40}; write yes or no, or leave it empty")
        if said:
            pairs.append((verdicts[row["id"]], said in YES))
        blank += not said
    if not pairs:
        raise DataError(f"{sheet} has no label; write yes or no under `good`")
    return Labels(agreement(pairs), len(pairs), blank)


def _drawn(lines: Sequence[Line], count: int, seed: int) -> list[Line]:
    """As many accepted as refused ones, while there are, in a shuffled order."""
    rng = random.Random(seed)
    good = [line for line in lines if line.accepted]
    bad = [line for line in lines if line.item is not None and not line.accepted]
    if not good and not bad:
        raise ConfigError("the folder holds no task that was written; make some with trivium tasks")
    rng.shuffle(good)
    rng.shuffle(bad)
    fewer = min(len(bad), count // 2)
    drawn = [*bad[:fewer], *good[: count - fewer]]
    rng.shuffle(drawn)
    return drawn


def _row(line: Line, texts: dict[str, str], seed: int) -> list[str]:
    assert line.item is not None
    passages = "\n\n".join(texts.get(hop.document, "(gone)") for hop in line.item.hops)
    shown = (_opaque(line, seed), _asked(line.item), line.item.truth, passages, "")
    return [_harmless(cell) for cell in shown]


def _asked(item: Item) -> str:
    return item.question if item.clues in item.question else f"{item.clues}\n{item.question}"


def _opaque(line: Line, seed: int) -> str:
    return hashlib.blake2b(f"{seed} {line.number}".encode(), digest_size=6).hexdigest()


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _rows(sheet: Path) -> Iterable[dict[str, str]]:
    try:
        with sheet.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{sheet} is no sheet ({error}); give the CSV that trivium label wrote") from error
    if rows and not set(COLUMNS) <= set(rows[0]):
        raise DataError(f"{sheet} has the columns {', '.join(map(str, rows[0]))}; it needs {', '.join(COLUMNS)}")
    return rows
