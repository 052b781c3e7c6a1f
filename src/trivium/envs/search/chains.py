"""Tasks of several hops over a linked corpus, made and verified by structure: no model, no guess.

Explore: a chunk that names a linked document is followed to that document, `hops - 1` times. The task gives clue words
of the first chunk; every later hop is known only through the chunk before it.

Verify, each by code, each refusal counted with its reason:
1. the name of every next document stands, word for word, in the chunk before it; the truth (a quote of the last chunk)
   stands in that chunk and in no other document of the corpus;
2. the clues stand together in the first chunk and in no chunk of another document;
3. the clues find the first chunk, and each name finds its chunk (a task that its own queries cannot solve is noise);
4. one query does not find them all: neither the whole question nor the clues alone find the last document among the
   hits that a search shows.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from trivium.config import TasksConfig
from trivium.episode import Json, Task
from trivium.retrieval import Chunk, Corpus, ProgressCallback, Search

from .chain_report import ChainReport
from .chain_text import content_words, name_in, quote
from .checks import ChainChecks
from .facts import facts_data

_ASK = (
    "Find the entry about {clues} and the {more} it leads to.",
    "Which entry speaks of {clues}, and which {more} does it point to?",
    "Cite the entry on {clues} with the {more} that it refers to.",
)
_MORE = {2: "entry", 3: "two entries", 4: "three entries"}


class ChainSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a generated task looks like: keys of `config.TasksConfig`, one length of chains, and two of its own."""

    hops: int
    clues: int
    hits: int
    shown: int
    """Hits that a search of the environment returns at most."""
    variants: int
    fan_in: int = 12
    """A document that more than this many others link to is no target: it would be known by heart."""
    rare: float = 0.02
    """Clue words stand in at most this share of the chunks."""


def chain_settings(config: TasksConfig, *, hops: int, shown: int) -> ChainSettings:
    """The settings of a recipe, for chains of one length under searches that return `shown` hits at most."""
    return ChainSettings(hops=hops, clues=config.clues, hits=config.hits, shown=shown, variants=config.variants)


class ChainMaker:
    """Makes verified tasks over one corpus."""

    def __init__(self, corpus: Corpus, search: Search, settings: ChainSettings) -> None:
        self.corpus, self.search, self.settings = corpus, search, settings
        self._frequency = Counter(word for chunk in corpus.chunks for word in set(content_words(chunk.text)))
        self.checks = ChainChecks(corpus, search, settings.hits, settings.shown)
        self._fan_in = Counter(target for document in corpus.documents for target in document.links)

    def make(
        self, count: int, seed: int, family: str, progress: ProgressCallback | None = None
    ) -> tuple[list[Task], ChainReport]:
        """Up to `count` tasks in seeded order: a pass over all first chunks for each variant."""
        report = ChainReport(len(self.corpus.documents), sum(bool(item.links) for item in self.corpus.documents))
        tasks: dict[str, Task] = {}
        rng = random.Random(seed)
        order = list(self.corpus.chunks)
        for variant in range(self.settings.variants):
            rng.shuffle(order)
            for place, chunk in enumerate(order):
                if len(tasks) == count:
                    break
                if progress and place % 64 == 0:
                    progress(f"{family} tasks", variant * len(order) + place, self.settings.variants * len(order))
                task = self._attempt(chunk, rng, f"{family}-{chunk.id}-{variant}", family, report)
                if task is not None:
                    tasks.setdefault(task.prompt, task)
        report.made = len(tasks)
        return list(tasks.values()), report

    def _attempt(self, first: Chunk, rng: random.Random, name: str, family: str, report: ChainReport) -> Task | None:
        chain = self._explore(first, rng)
        if chain is None:
            return None
        task, reason = self.task(chain, rng, name, family)
        if task is None:
            report.refused[reason] += 1
        return task

    def _explore(self, first: Chunk, rng: random.Random) -> list[Chunk] | None:
        chain = [first]
        while len(chain) < self.settings.hops:
            ahead = self.ahead(chain, rng)
            if ahead is None:
                return None
            chain.append(ahead)
        return chain

    def ahead(self, chain: Sequence[Chunk], rng: random.Random) -> Chunk | None:
        """A chunk to which the last of a chain leads, drawn among those of other documents; None: it leads nowhere."""
        behind = {chunk.document_id for chunk in chain}
        found = [chunk for chunk in self._named(chain[-1]) if chunk.document_id not in behind]
        return rng.choice(found) if found else None

    def _named(self, chunk: Chunk) -> Iterator[Chunk]:
        """First chunks of the documents that `chunk` links to and names."""
        document = self.corpus.document(chunk.document_id)
        for target in dict.fromkeys(document.links if document else ()):
            linked = self.corpus.document(target)
            chunks = self.corpus.chunks_of(target)
            if linked and chunks and self._fan_in[target] <= self.settings.fan_in and name_in(chunk, linked.title):
                yield chunks[0]

    def task(self, chain: Sequence[Chunk], rng: random.Random, name: str, family: str) -> tuple[Task | None, str]:
        """The task of a chain, verified; or None and the reason why it is none."""
        clues = self._clues(chain[0], rng)
        if clues is None:
            return None, "the first chunk has too few rare words beside its title"
        if self.checks.fits_another(clues, chain[0].document_id):
            return None, "its clues fit another document as well"
        truth = quote(chain[-1])
        if truth is None or self._stands_elsewhere(truth, chain[-1]):
            return None, "the last chunk has no quote of its own"
        prompt = rng.choice(_ASK).format(clues=" ".join(clues), more=_MORE[len(chain)])
        queries = [" ".join(clues), *(name_in(here, ahead.title) or "" for here, ahead in itertools.pairwise(chain))]
        checks = self.checks
        reason = checks.unsolvable([chunk.id for chunk in chain], queries)
        reason = reason or checks.too_easy(chain[-1].document_id, [prompt, queries[0]])
        if reason:
            return None, reason
        data: dict[str, Json] = facts_data(
            facts=[[chunk.document_id] for chunk in chain],
            answers=[truth],
            extra={"queries": [*queries], "hops": len(chain)},
        )
        return Task(id=name, prompt=prompt, family=family, data=data), ""

    def _clues(self, first: Chunk, rng: random.Random) -> list[str] | None:
        """Rare words of the chunk that its title does not hold, drawn at random, in reading order."""
        limit = max(2, int(self.settings.rare * len(self.corpus.chunks)))
        titled = set(content_words(first.title))
        usable = [
            w for w in dict.fromkeys(content_words(first.text)) if w not in titled and self._frequency[w] <= limit
        ]
        if len(usable) < self.settings.clues:
            return None
        drawn = set(rng.sample(usable, self.settings.clues))
        return [word for word in usable if word in drawn]

    def _stands_elsewhere(self, truth: str, last: Chunk) -> bool:
        others = (chunk for chunk in self.corpus.chunks if chunk.document_id != last.document_id)
        return any(truth in chunk.text for chunk in others)
