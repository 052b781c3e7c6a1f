import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.retrieval.words import stem, words


def test_a_name_keeps_its_whole_and_gives_its_parts():
    assert set(words("OrderedDict.move_to_end")) == {
        "ordereddict.move_to_end", "ordereddict", "move_to_end", "ordered", "dict", "move", "end",
    }  # fmt: skip
    assert "json.dumps" in words("json.dumps")
    assert "json.dump" not in words("json.dumps")
    assert {"http", "server"} <= set(words("HTTPServer"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Queries, of Pál!", ["query", "pal"]),
        ("東京都", ["東京", "京都"]),
        ("\x00\x01 \t", []),
        ("__init__", ["init"]),
        ("", []),
    ],
)
def test_words_of(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(("word", "expected"), [("glass", "glass"), ("cats", "cat"), ("bus", "bus"), ("flies", "fly")])
def test_stem(word, expected):
    assert stem(word) == expected


@given(st.text())
def test_any_text_has_words_and_its_upper_case_the_same_letters(text):
    assert all(words(text))
