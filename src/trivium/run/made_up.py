"""Tasks over made-up corpora: what can only be copied cannot be learned by heart.

SFT takes a new corpus for every round; RL mixes a few with its real training tasks (`environment.tasks.made_up`).
"""

import json
from collections.abc import Callable
from pathlib import Path

from trivium.config import Recipe
from trivium.envs.search import ChainMaker, ChainSettings, Library, Side, babble
from trivium.harness import derive
from trivium.retrieval import Dense, Lexical, Lsa, Search, split

DOCUMENTS = 500
RARE = 0.1
"""Share of the chunks that a clue word may stand in: neighbours share words on purpose."""


def letter_pieces(tokenizer: Path) -> list[str]:
    """The pieces of two letters or more in a `tokenizer.json`, bare and in lower case, in order."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    bare = {piece.lstrip("Ġ▁").lower() for piece in vocabulary}
    return sorted(piece for piece in bare if len(piece) > 1 and piece.isascii() and piece.isalpha())


def made_up(recipe: Recipe, pieces: list[str], count: Callable[[str], int], tasks: int, seed: int, family: str) -> Side:
    """A new corpus with up to `tasks` tasks over it."""
    corpus = split(babble(pieces, DOCUMENTS, seed), count, recipe.environment.corpus.chunk_tokens)
    texts = [f"{chunk.title}\n{chunk.text}" for chunk in corpus.chunks]
    search = Search(corpus, Lexical.build(texts), Dense.build(Lsa.fit(texts), texts))
    own = recipe.environment.tasks
    settings = ChainSettings(hops=own.hops[0], clues=own.clues, hits=own.hits, variants=3, rare=RARE)
    made, _ = ChainMaker(corpus, search, settings).make(tasks, seed, family)
    return Side(Library(corpus, search), tuple(made))


def beside(recipe: Recipe, real: int, tokenizer: Path, count: Callable[[str], int]) -> list[Side]:
    """Made-up sides that are `environment.tasks.made_up` of all training tasks, when `real` of them are real."""
    share = recipe.environment.tasks.made_up
    wanted = round(real * share / (1 - share))
    sides: list[Side] = []
    while (missing := wanted - sum(len(side.tasks) for side in sides)) > 0:
        number = len(sides)
        seed = derive(recipe.environment.tasks.seed, "made up", number)
        sides.append(made_up(recipe, letter_pieces(tokenizer), count, missing, seed, f"made-up-{number}"))
    return sides
