"""Tasks over disguised corpora: what can only be copied cannot be learned by heart.

SFT takes a new corpus for every round; RL mixes a few with its real training tasks (`environment.tasks.made_up`).
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from trivium.config import Recipe
from trivium.envs.search import ChainMaker, Side, chain_settings, common_words, disguise, sample
from trivium.episode import ConfigError
from trivium.harness import derive_seed
from trivium.retrieval import Dense, Document, Lexical, Lsa, Search, split

DOCUMENTS = 700
RARE = 0.06
"""Share of the chunks that a clue word may stand in: neighbours share words on purpose."""
VARIANTS = 3
HITS = 3
"""Hits of a search that must not find all of a task by one query."""


def letter_pieces(tokenizer: Path) -> list[str]:
    """The pieces of two letters or more in a `tokenizer.json`, bare and in lower case, in order."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    bare = {piece.lstrip("Ġ▁").lower() for piece in vocabulary}
    return sorted(piece for piece in bare if len(piece) > 1 and piece.isascii() and piece.isalpha())


class MakeUp:
    """Makes sides of what `documents` say in disguise; `pieces` are what new words are glued from."""

    def __init__(
        self, recipe: Recipe, documents: Sequence[Document], tokenizer: Path, count: Callable[[str], int]
    ) -> None:
        self.recipe, self.documents, self.count = recipe, documents, count
        self.pieces = letter_pieces(tokenizer)
        self.common = common_words(documents)

    def side(self, tasks: int, seed: int, family: str) -> Side:
        """A new corpus with up to `tasks` tasks over it. Raises ConfigError when it yields none."""
        masked = disguise(sample(self.documents, DOCUMENTS, seed), self.common, self.pieces, seed)
        corpus = split(masked, self.count, self.recipe.environment.corpus.chunk_tokens)
        texts = [f"{chunk.title}\n{chunk.text}" for chunk in corpus.chunks]
        search = Search(corpus, Lexical.build(texts), Dense.build(Lsa.fit(texts), texts))
        own = self.recipe.environment.tasks
        settings = msgspec.structs.replace(
            chain_settings(own, hops=own.hops[0], shown=HITS), variants=VARIANTS, rare=RARE
        )
        made, report = ChainMaker(corpus, search, settings).make(tasks, seed, family)
        if not made:
            raise ConfigError(
                f"no task could be made up over {len(corpus.documents)} disguised documents "
                f"({'; '.join(report.lines())}); set made_up = 0"
            )
        return Side(search, tuple(made))


def made_up_sides(make: MakeUp, real: int) -> list[Side]:
    """Made-up sides that are `environment.tasks.made_up` of all training tasks, when `real` of them are real."""
    own = make.recipe.environment.tasks
    wanted = round(real * own.made_up / (1 - own.made_up))
    sides: list[Side] = []
    while (missing := wanted - sum(len(side.tasks) for side in sides)) > 0:
        number = len(sides)
        sides.append(make.side(missing, derive_seed(own.seed, "made up", number), f"made-up-{number}"))
    return sides
