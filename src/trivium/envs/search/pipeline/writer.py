"""Items by a model: it reads two passages, writes clues and question, and quotes what they rest on.

Always true: a model proposes, code disposes: what it quotes is looked up by the verifier, and a refusal is told to it
for the next try.
"""

import random
from collections.abc import Awaitable, Callable, Sequence

from trivium.retrieval import Chunk, Corpus, Search

from .author import Refused
from .item import Hop, Item, written
from .prompts import CHAIN, EXPLORE, SUITS, TOLD
from .tags import tagged

Ask = Callable[[str], Awaitable[str]]
"""A prompt in, an answer out; raises EngineError when there is none."""

ALONE = Refused("no other document is near")


class Writer:
    """An author that asks a model."""

    tries = 3

    def __init__(self, corpus: Corpus, search: Search, ask: Ask, seed: int) -> None:
        self._corpus, self._search, self._ask = corpus, search, ask
        self._order = list(corpus.chunks)
        random.Random(seed).shuffle(self._order)

    async def explore(self, number: int, told: str | None) -> Item | Refused:
        """Two passages: the `number`-th chunk, and one that it links to or that is near it."""
        variant, place = divmod(number, len(self._order))
        first = self._order[place]
        second = self._near(first, [first], variant)
        if second is None:
            return ALONE
        answer = await self._ask(EXPLORE.format(**_passages(first, second), told=_told(told)))
        said = tagged(answer, "clues", "question", "name", "truth", "quote_a", "quote_b")
        if isinstance(said, str):
            return Refused(said)
        hops = (
            Hop(first.document_id, first.id, said["clues"], (said["quote_a"], said["name"])),
            Hop(second.document_id, second.id, said["name"], (said["quote_b"], said["truth"])),
        )
        return Item(
            id=f"{first.id}-{variant}", clues=said["clues"], question=said["question"], truth=said["truth"], hops=hops
        )

    async def chain(self, item: Item, told: str | None) -> Item | Refused:
        """One passage further, from the last one."""
        chunks = [self._corpus.chunks[self._corpus.row_of[hop.chunk]] for hop in item.hops]
        ahead = self._near(chunks[-1], chunks, 0)
        if ahead is None:
            return ALONE
        prompt = CHAIN.format(
            **_passages(chunks[-1], ahead), question=item.question, truth=item.truth, told=_told(told)
        )
        said = tagged(await self._ask(prompt), "question", "name", "truth", "quote_b")
        if isinstance(said, str):
            return Refused(said)
        *before, last = item.hops
        bridge = Hop(last.document, last.chunk, last.query, (*last.quotes, said["name"]))
        new = Hop(ahead.document_id, ahead.id, said["name"], (said["quote_b"], said["truth"]))
        return Item(
            id=item.id, clues=item.clues, question=said["question"], truth=said["truth"], hops=(*before, bridge, new)
        )

    async def suits(self, item: Item, document: str) -> bool:
        """The model, as a reader, must not take it for an answer; an unclear word counts as if it did."""
        found = self._corpus.document(document)
        assert found is not None
        said = tagged(await self._ask(SUITS.format(question=item.question, passage=written(found)[:4000])), "holds")
        return not isinstance(said, str) and said["holds"].lower().startswith("no")

    def _near(self, chunk: Chunk, used: Sequence[Chunk], skip: int) -> Chunk | None:
        """A chunk of another document: the first that is linked, else the nearest; `skip` passes over some."""
        taken = {item.document_id for item in used}
        document = self._corpus.document(chunk.document_id)
        linked = [self._corpus.chunks_of(target)[:1] for target in (document.links if document else ())]
        hits = [hit.chunk for hit in self._search.search(chunk.text, k=10)]
        near = [item for item in (*(one for some in linked for one in some), *hits) if item.document_id not in taken]
        return near[skip % len(near)] if near else None


def _passages(first: Chunk, second: Chunk) -> dict[str, str]:
    return {"first_title": first.title, "first": first.text, "second_title": second.title, "second": second.text}


def _told(reason: str | None) -> str:
    return TOLD.format(reason=reason) if reason else ""
