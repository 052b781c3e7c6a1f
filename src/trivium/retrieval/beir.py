"""The BEIR layout: a corpus with queries and judgements.

`corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`, and here `answers` where there are any) and
`qrels.tsv` or `qrels/*.tsv` (query id, document id, score; a header line or none). Every judgement that is kept names
a query and a document that exist. A score of 0 says judged and not relevant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trivium.episode import DataError

from .document import Corpus, ProgressCallback
from .folder import finish, record_drafts, unique
from .lines import list_field, read_lines, read_records, text_field
from .report import Skip, Tally

NEEDED = ("corpus.jsonl", "queries.jsonl")


class Query(msgspec.Struct, frozen=True):
    """A question, with its short answers where the set has them."""

    id: str
    text: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Beir:
    """A corpus (not yet chunked), its queries, and for each query id the scores of the documents judged for it."""

    corpus: Corpus
    queries: tuple[Query, ...]
    qrels: dict[str, dict[str, int]]

    def gold(self, query_id: str) -> tuple[str, ...]:
        """Ids of the documents that are relevant to a query, in the order of the file."""
        return tuple(name for name, score in self.qrels.get(query_id, {}).items() if score > 0)


def load_beir(path: Path, progress: ProgressCallback | None = None) -> Beir:
    """Read a folder in BEIR layout; what was skipped is in `corpus.report`.

    Raises DataError when a file is missing, or holds nothing that can be used.
    """
    judgements = _judgement_files(path)
    tally = Tally()
    drafts = unique(record_drafts(path / "corpus.jsonl", tally, need_id=True), tally)
    queries = _queries(path / "queries.jsonl", tally)
    if not queries:
        raise DataError(f"{path / 'queries.jsonl'} holds no query; each line needs `_id` and `text`")
    qrels = _qrels(judgements, set(queries), {draft.id for draft in drafts}, tally)
    for query in queries:
        if query not in qrels:
            tally.note(Skip.QUERY_WITHOUT_QREL, query)
    return Beir(finish(path, drafts, tally, progress), tuple(queries.values()), qrels)


def _judgement_files(path: Path) -> list[Path]:
    """The files of judgements of the set at `path`; DataError when it is not a set."""
    for name in NEEDED:
        if not (path / name).is_file():
            raise DataError(f"{path / name} does not exist; a BEIR folder holds {', '.join(NEEDED)} and qrels.tsv")
    files = [path / "qrels.tsv"] if (path / "qrels.tsv").is_file() else sorted((path / "qrels").glob("*.tsv"))
    if not files:
        raise DataError(f"{path} holds neither qrels.tsv nor qrels/*.tsv; read it as a folder if it has no judgements")
    return files


def _queries(path: Path, tally: Tally) -> dict[str, Query]:
    queries: dict[str, Query] = {}
    for number, record in read_records(path, tally):
        identity, text = text_field(record, "_id", "id"), text_field(record, "text")
        if not identity or not text or not text.strip():
            tally.note(Skip.MISSING_FIELD, f"{path.name} line {number}")
        elif identity in queries:
            tally.note(Skip.DUPLICATE_ID, f"query {identity}")
        else:
            queries[identity] = Query(identity, text, list_field(record, "answers"))
    return queries


def _qrels(files: list[Path], queries: set[str], documents: set[str], tally: Tally) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for where, query, document, score in (row for file in files for row in _rows(file, tally)):
        if query in queries and document in documents:
            qrels.setdefault(query, {}).setdefault(document, score)
        else:
            tally.note(Skip.DANGLING_QREL, where)
    return qrels


def _rows(path: Path, tally: Tally) -> Iterator[tuple[str, str, str, int]]:
    """Place, query id, document id and score of every judgement; a TREC file of four columns is read too."""
    for number, line in read_lines(path, tally):
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) == 4:
            cells = [cells[0], *cells[2:]]
        try:
            query, document, score = (cell.strip() for cell in cells)
            yield f"{path.name} line {number}", query, document, int(float(score))
        except (ValueError, OverflowError):
            if number > 1:  # the first line may be a header
                tally.note(Skip.MISSING_FIELD, f"{path.name} line {number}")
