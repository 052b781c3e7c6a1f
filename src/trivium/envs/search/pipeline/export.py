"""Items as a folder in BEIR layout: what `trivium eval --data` reads, with everything a person wants to check.

`corpus.jsonl`, `queries.jsonl` (with `answers`, `clues`, `hops`, `gold` chunks with their quotes, `distractors`) and
`qrels.tsv`, in which gold scores 1 and a distractor 0 (judged, and not relevant).
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from trivium.episode import ConfigError
from trivium.retrieval import Corpus

from .item import Item, chunk_texts


def write_set(folder: Path, items: Sequence[Item], corpus: Corpus) -> None:
    """Write the three files. Raises ConfigError when there is no item, or the disk fails."""
    if not items:
        raise ConfigError("no task was made, so there is no set to write; look at the reasons of refusal")
    documents = [
        {"_id": item.id, "title": item.title, "text": item.text, "links": item.links} for item in corpus.documents
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "corpus.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in documents))
        queries = b"".join(msgspec.json.encode(_query(item, corpus)) + b"\n" for item in items)
        (folder / "queries.jsonl").write_bytes(queries)
        (folder / "qrels.tsv").write_text("".join(["query-id\tcorpus-id\tscore\n", *map(_judged, items)]))
    except OSError as error:
        raise ConfigError(f"{folder} was not written ({error.strerror}); choose another folder") from error


def _query(item: Item, corpus: Corpus) -> dict[str, object]:
    gold = [
        {"document": hop.document, "chunk": hop.chunk, "text": text, "query": hop.query, "quotes": hop.quotes}
        for hop, text in zip(item.hops, chunk_texts(item, corpus), strict=True)
    ]
    return {
        "_id": item.id,
        "text": item.question,
        "answers": [item.truth],
        "clues": item.clues,
        "hops": len(item.hops),
        "gold": gold,
        "distractors": item.distractors,
    }


def _judged(item: Item) -> str:
    gold = [f"{item.id}\t{hop.document}\t1\n" for hop in item.hops]
    return "".join([*gold, *(f"{item.id}\t{document}\t0\n" for document in item.distractors)])
