"""Supervised tasks over made-up corpora: a new one for every round of SFT, so that nothing can be learned by heart."""

import json
from collections.abc import Callable
from pathlib import Path

from trivium.config import Recipe
from trivium.envs.search import ChainMaker, ChainSettings, Library, SearchWorld, Side, babble
from trivium.envs.source import Source
from trivium.retrieval import Dense, Lexical, Lsa, Search, split

DOCUMENTS = 500
RARE = 0.1
"""Share of the chunks that a clue word may stand in: neighbours share words on purpose."""


def letter_pieces(tokenizer: Path) -> list[str]:
    """The pieces of two letters or more in a `tokenizer.json`, bare and in lower case, in order."""
    vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    bare = {piece.lstrip("Ġ▁").lower() for piece in vocabulary}
    return sorted(piece for piece in bare if len(piece) > 1 and piece.isascii() and piece.isalpha())


def made_up(
    world: SearchWorld, recipe: Recipe, pieces: list[str], count: Callable[[str], int], tasks: int, seed: int
) -> Source:
    """`tasks` tasks over a new corpus, rewarded as in the last epoch."""
    corpus = split(babble(pieces, DOCUMENTS, seed), count, recipe.environment.corpus.chunk_tokens)
    texts = [f"{chunk.title}\n{chunk.text}" for chunk in corpus.chunks]
    search = Search(corpus, Lexical.build(texts), Dense.build(Lsa.fit(texts), texts))
    own = recipe.environment.tasks
    settings = ChainSettings(hops=own.hops[0], clues=own.clues, hits=own.hits, variants=3, rare=RARE)
    made, _ = ChainMaker(corpus, search, settings).make(tasks, seed, "made-up")
    epochs = recipe.schedule.epochs
    return world.source(Side(Library(corpus, search), tuple(made)), "made up", epochs - 1, epochs)
