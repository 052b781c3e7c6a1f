import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.retrieval import Lexical
from trivium.retrieval.lexical import K1, B
from trivium.retrieval.words import words

WORDS = st.sampled_from(["red", "blue", "green", "rope", "tea", "knot", "x1"])
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=8)


def slow_bm25(texts: list[str], query: str) -> list[float]:
    """The formula, word by word."""
    bags = [Counter(words(text)) for text in texts]
    mean = sum(sum(bag.values()) for bag in bags) / max(len(bags), 1)
    scores = []
    for bag in bags:
        score = 0.0
        for word in words(query):
            df = sum(word in other for other in bags)
            idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
            if bag[word]:
                score += idf * bag[word] / (bag[word] + K1 * (1 - B + B * sum(bag.values()) / mean))
        scores.append(score)
    return scores


@given(TEXTS, st.text(st.sampled_from("red blue tea"), max_size=20) | st.just("red tea red x1"))
def test_scores_are_those_of_the_formula(texts, query):
    assert Lexical.build(texts).scores(query) == pytest.approx(slow_bm25(texts, query), rel=1e-4)


@given(TEXTS, st.sets(st.integers(0, 7)), st.integers(0, 9))
def test_top_is_a_stable_sort_of_what_is_not_excluded(texts, exclude, k):
    index, query = Lexical.build(texts), "red blue rope"
    hidden = {row for row in exclude if row < len(texts)}
    scores = index.scores(query)
    rows = sorted((row for row in range(len(texts)) if scores[row] > 0 and row not in hidden), key=lambda r: -scores[r])
    assert index.top(query, k, hidden) == rows[:k]


@given(TEXTS)
def test_an_index_survives_its_arrays(texts):
    index = Lexical.build(texts)
    again = Lexical.restore(index.arrays())
    assert np.array_equal(again.scores("red tea x1"), index.scores("red tea x1"))


def test_arrays_that_disagree_are_refused():
    arrays = Lexical.build(["red tea", "tea"]).arrays()
    with pytest.raises(ValueError, match="disagree"):
        Lexical.restore({**arrays, "starts": arrays["starts"][:-1]})
    with pytest.raises(KeyError):
        Lexical.restore({})
