"""Items by structure: links are followed, clues are rare words, questions are templates. No model."""

import random

from trivium.envs.search.chain_text import content_words
from trivium.envs.search.chains import ChainMaker
from trivium.episode import Json, Task
from trivium.retrieval import Chunk

from .author import Refused
from .item import Hop, Item

NO_LINK = Refused("nothing is linked and named there")


class Structure:
    """An author over a corpus with links. The same number gives the same item."""

    tries = 1

    def __init__(self, maker: ChainMaker, seed: int) -> None:
        self._maker, self._seed = maker, seed
        self._order = list(maker.corpus.chunks)
        random.Random(seed).shuffle(self._order)

    async def explore(self, number: int, told: str | None) -> Item | Refused:
        """The `number`-th chunk and one that it names; a later pass over the corpus draws other words."""
        variant, place = divmod(number, len(self._order))
        return self._led([self._order[place]], f"{self._order[place].id}-{variant}")

    async def chain(self, item: Item, told: str | None) -> Item | Refused:
        """One link further from the last chunk."""
        corpus = self._maker.corpus
        return self._led([corpus.chunks[corpus.row_of[hop.chunk]] for hop in item.hops], item.id)

    async def suits(self, item: Item, document: str) -> bool:
        """Code has decided already."""
        return True

    def _led(self, chunks: list[Chunk], name: str) -> Item | Refused:
        rng = random.Random(f"{self._seed} {name} {len(chunks)}")
        ahead = self._maker.ahead(chunks, rng)
        if ahead is None:
            return NO_LINK
        task, reason = self._maker.task([*chunks, ahead], rng, name, "structure")
        return Refused(reason) if task is None else _item(task, [*chunks, ahead])


def _item(task: Task, chunks: list[Chunk]) -> Item:
    queries, truth = _texts(task.data["queries"]), _texts(task.data["answers"])[0]
    clues = queries[0]
    held = [word for word in content_words(chunks[0].text) if word in set(clues.split())]
    leads = [*queries[1:], truth]
    quotes = [(*dict.fromkeys(held), leads[0]), *((lead,) for lead in leads[1:])]
    hops = [
        Hop(chunk.document_id, chunk.id, query, own) for chunk, query, own in zip(chunks, queries, quotes, strict=True)
    ]
    return Item(id=task.id, clues=clues, question=task.prompt, truth=truth, hops=tuple(hops))


def _texts(values: Json) -> list[str]:
    assert isinstance(values, list)
    return [str(value) for value in values]
