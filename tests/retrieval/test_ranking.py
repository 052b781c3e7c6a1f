import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trivium.retrieval import Lexical
from trivium.retrieval.ranking import REMEMBERED, Ranking, Remembered, best

QUERIES = st.lists(st.sampled_from(["red", "tea", "red tea", "knot"]), max_size=12)


class Counted(Ranking):
    """A real index that counts how often it is asked."""

    def __init__(self) -> None:
        self.index = Lexical.build(["red tea", "tea", "red red rope", ""])
        self.asked = 0

    def scores(self, query):
        self.asked += 1
        return self.index.scores(query)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=12), st.integers(-1, 13))
def test_best_is_the_head_of_a_stable_sort(values, k):
    scores = np.asarray(values, np.float32)
    expected = sorted((row for row in range(len(values)) if values[row] > 0), key=lambda row: -values[row])
    assert best(scores, k, above=0.0) == expected[: max(k, 0)]


@given(QUERIES, st.sets(st.integers(0, 3)), st.integers(0, 4))
def test_what_is_remembered_is_what_the_index_says(queries, hidden, k):
    counted = Counted()
    remembered = Remembered(counted, 4)
    for query in queries:
        assert remembered.top(query, k, hidden) == counted.index.top(query, k, hidden)
        assert np.array_equal(remembered.scores(query), counted.index.scores(query))
    assert counted.asked == len(set(queries))


def test_memory_is_bounded_in_bytes():
    counted = Counted()
    remembered = Remembered(counted, REMEMBERED // 8)  # rows of which two queries fit
    for query in ("red", "tea", "knot", "red"):
        remembered.scores(query)
    assert counted.asked == 4
    none = Remembered(counted, REMEMBERED)
    for _ in range(2):
        none.scores("red")
    assert counted.asked == 6
