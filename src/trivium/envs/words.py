"""Words that do not exist, glued from the pieces of a tokenizer."""

import random
from collections.abc import Sequence


def new_word(pieces: Sequence[str], rng: random.Random, letters: int) -> str:
    """A word of at least `letters` letters, in lower case."""
    word = ""
    while len(word) < letters:
        word += rng.choice(pieces)
    return word


def new_name(pieces: Sequence[str], rng: random.Random) -> str:
    """A dotted name of one to three parts; the last one may be in CamelCase, or joined by an underscore."""
    parts = [new_word(pieces, rng, rng.randint(4, 8)) for _ in range(rng.choice((1, 2, 2, 3)))]
    end = new_word(pieces, rng, 4)
    last = rng.choice((parts[-1], parts[-1].capitalize() + end.capitalize(), f"{parts[-1]}_{end}"))
    return ".".join((*parts[:-1], last))
