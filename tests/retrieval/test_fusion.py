from hypothesis import given
from hypothesis import strategies as st

from trivium.retrieval import fuse

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)


@given(RANKINGS)
def test_the_order_is_that_of_the_formula(rankings):
    ids = {item for ranking in rankings for item in ranking}
    slow = {i: sum(1 / (60 + ranking.index(i) + 1) for ranking in rankings if i in ranking) for i in ids}
    assert fuse(*rankings) == sorted(slow.items(), key=lambda pair: (-pair[1], pair[0]))


def test_ties_are_ordered_by_id():
    assert [item for item, _ in fuse(["b", "a"], ["a", "b"])] == ["a", "b"]
    assert fuse() == []
