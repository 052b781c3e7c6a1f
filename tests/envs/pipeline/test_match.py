import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.envs.search.pipeline.match import in_order, spoken, stands_in

TEXT = "The [harbour crane](crane.md) lifts   forty tonnes,\nof steel; see https://x.org/y the dock office."


@pytest.mark.parametrize(
    "quote",
    [
        "lifts   forty tonnes",
        "lifts forty tonnes, of steel",
        "The harbour crane lifts",
        "FORTY TONNES of steel",
        "harbour lifts: forty tonnes, steel",
    ],
)
def test_the_cascade_forgives_small_slips(quote):
    assert stands_in(quote, TEXT)


@pytest.mark.parametrize(
    "quote", ["", "  ", "forty tonnes lifts", "the harbour master", "crane harbour tonnes forty steel"]
)
def test_what_was_not_written_is_not_found(quote):
    assert not stands_in(quote, TEXT)


def test_a_name_is_spoken_as_whole_words():
    assert spoken("os.path", "It calls os.path.")
    assert not spoken("path", "It is pathological.")
    assert not spoken("...", "It is...")


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=50, deadline=None)
def test_what_stands_in_a_text_is_found(quote, before, after):
    assert stands_in(quote, before + quote + after)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), max_size=8))
def test_in_order_is_a_subsequence(words, among):
    def slow(words, among):
        if not words:
            return True
        return any(word == words[0] and slow(words[1:], among[at + 1 :]) for at, word in enumerate(among))

    assert in_order(words, among) == slow(words, among)
