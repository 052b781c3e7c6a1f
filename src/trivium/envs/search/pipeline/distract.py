"""Distractors: documents that look like the gold ones and hold no truth of any hop.

Natural ones, mined with the item's own words (clues, question, each query), in the order in which the engine ranks
them; an author may refuse one that a reader would take for an answer.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

from trivium.retrieval import Search

from .item import Item
from .verify import Verifier

DEPTH = 25
"""Hits that are looked at, of each query."""


async def distractors(
    item: Item,
    search: Search,
    verifier: Verifier,
    wanted: int,
    suits: Callable[[Item, str], Awaitable[bool]],
    refused: Counter[str],
) -> tuple[str, ...]:
    """Ids of up to `wanted` documents, best first; what was passed over is counted in `refused`."""
    chosen: list[str] = []
    for document in _candidates(item, search):
        if len(chosen) == wanted:
            break
        if verifier.holds_truth(item, document):
            refused["distract: it holds a truth"] += 1
        elif not await suits(item, document):
            refused["distract: its reader takes it for an answer"] += 1
        else:
            chosen.append(document)
    return tuple(chosen)


def _candidates(item: Item, search: Search) -> Iterator[str]:
    gold = {hop.document for hop in item.hops}
    queries = dict.fromkeys((item.clues, item.question, *(hop.query for hop in item.hops)))
    hits = (hit.chunk.document_id for query in queries for hit in search.search(query, k=DEPTH))
    yield from (document for document in dict.fromkeys(hits) if document not in gold)
