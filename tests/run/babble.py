"""Made-up corpora: linked documents of words that do not exist, new for every seed.

A small policy that is taught on a few thousand real documents learns their words by heart and copies no others. Words
glued from random pieces of its tokenizer can only be copied, so copying is what is learned. Text, names and links have
the shape of documentation: sentences with common words between, dotted names, `See a.b.C.` at the end; neighbours
share words, so the first hit of a search is not always the right one.
"""

import random
from collections.abc import Sequence

from trivium.retrieval import Corpus, Document

COMMON = ("the", "of", "a", "to", "is", "for", "and", "in", "with", "that", "from", "this", "or", "by", "not", "be")
NEIGHBOURS = 6


def babble(pieces: Sequence[str], documents: int, seed: int) -> Corpus:
    """A corpus of made-up documents; `pieces` are the letter strings that words are glued from."""
    rng = random.Random(seed)
    names = list(dict.fromkeys(_name(pieces, rng) for _ in range(documents)))
    made = []
    for start in range(0, len(names), NEIGHBOURS):
        topic = [_word(pieces, rng) for _ in range(24)]
        made += [_document(name, names, topic, pieces, rng) for name in names[start : start + NEIGHBOURS]]
    return Corpus(tuple(made))


def _document(
    name: str, names: Sequence[str], topic: Sequence[str], pieces: Sequence[str], rng: random.Random
) -> Document:
    words = [rng.choice(topic) if rng.random() < 0.4 else _word(pieces, rng) for _ in range(rng.randint(6, 16))]
    said = []
    for word in words:
        said += [rng.choice(COMMON), word] if rng.random() < 0.45 else [word]
    said[0] = said[0].capitalize()
    if rng.random() < 0.15:
        return Document(name, name, f"{' '.join(said)}.")
    target = rng.choice(names)
    shown = target if rng.random() < 0.7 else target.rsplit(".", 1)[-1]
    if rng.random() < 0.75:
        return Document(name, name, f"{' '.join(said)}. See {shown}.", (target,))
    said.insert(rng.randint(1, len(said)), f"{shown}()" if rng.random() < 0.5 else shown)
    return Document(name, name, f"{' '.join(said)}.", (target,))


def _name(pieces: Sequence[str], rng: random.Random) -> str:
    parts = [_word(pieces, rng) for _ in range(rng.choice((1, 2, 2, 2, 3)))]
    if rng.random() < 0.5:
        parts[-1] = parts[-1].capitalize() + (_word(pieces, rng).capitalize() if rng.random() < 0.5 else "")
    elif rng.random() < 0.4:
        parts[-1] = f"{parts[-1]}_{_word(pieces, rng)}"
    return ".".join(parts)


def _word(pieces: Sequence[str], rng: random.Random) -> str:
    """One to three pieces, at least four letters."""
    word = "".join(rng.choice(pieces) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    return word if len(word) >= 4 else word + rng.choice(pieces).ljust(3, "e")
