import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.episode.errors import ConfigError
from trivium.retrieval import Corpus, Document, chunk, split

from .builders import words

TEXT = st.text(st.sampled_from("ab.! \n\té東\u2028"), max_size=400)


@given(TEXT, st.integers(1, 12))
def test_no_chunk_is_over_the_limit_and_no_word_is_lost(text, limit):
    pieces = chunk(Document("d", "D", text), words, limit)
    assert all(0 < words(piece.text) <= limit for piece in pieces)
    assert [word for piece in pieces for word in piece.text.split()] == text.split()


@given(st.text(max_size=300), st.integers(4, 40))
def test_any_text_by_bytes_keeps_its_visible_characters(text, limit):
    text = text.encode("utf-8", "replace").decode()
    pieces = chunk(Document("d", "D", text), lambda part: len(part.encode()), limit)
    assert all(len(piece.text.encode()) <= limit for piece in pieces)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(text.split())


def test_ids_and_indices_run_from_zero():
    pieces = chunk(Document("a_1", "T", "one two three four"), words, 1)
    assert [(piece.id, piece.index, piece.title) for piece in pieces] == [(f"a_1_{i}", i, "T") for i in range(4)]


def test_a_paragraph_is_a_better_boundary_than_a_sentence_and_a_sentence_than_a_word():
    text = "One two three four. Five six.\n\nSeven eight nine ten eleven."
    assert [piece.text for piece in chunk(Document("d", "D", text), words, 6)] == text.split("\n\n")
    text = "One two three four five. Six seven eight nine."
    assert [piece.text for piece in chunk(Document("d", "D", text), words, 6)] == [text[:24], text[25:]]


def test_one_word_of_ten_kilobytes_is_cut():
    pieces = chunk(Document("d", "D", "x" * 10_000), len, 512)
    assert "".join(piece.text for piece in pieces) == "x" * 10_000


def test_a_text_that_fits_is_counted_once_and_a_long_one_a_few_times_over():
    counted = []
    count = lambda text: counted.append(len(text)) or len(text) // 4 + 1  # noqa: E731
    chunk(Document("d", "D", "short"), count, 512)
    assert counted == [5]
    counted.clear()
    text = "word " * 200_000
    chunk(Document("d", "D", text), count, 512)
    assert sum(counted) < 5 * len(text)


@pytest.mark.parametrize("text", ["x" * 2_000_000, "name " + "ab" * 1_000_000])
def test_a_word_of_megabytes_is_counted_a_few_times_over(text):
    counted = []
    count = lambda part: counted.append(len(part)) or len(part) // 3 + 1  # noqa: E731
    pieces = chunk(Document("d", "D", text), count, 128)
    assert "".join(piece.text for piece in pieces) == text.replace(" ", "")
    assert all(len(piece.text) // 3 < 128 for piece in pieces)
    assert len(pieces) < 2 * len(text) / 3 / 64
    assert sum(counted) < 3 * len(text)


def ends(text, low, high):
    """The slow way: kind -> places in [low, high] right behind a boundary of it; white space counts up to `high`."""
    found = {"paragraph": [], "sentence": [], "word": []}
    for at in range(max(low, 1), high + 1):
        if not text[at - 1].isspace() or (at < high and text[at].isspace()):
            continue
        before = text[:at].rstrip()
        space = text[max(len(before), low - 1) : at]
        found["word"].append(at)
        if before[-1:] in tuple(".!?") and len(before) >= low - 1:
            found["sentence"].append(at)
        if space.count("\n") > 1:
            found["paragraph"].append(at)
    return found


def middle_cut(text):
    """Where a text is halved: at the boundary of the best kind in its middle half, else at any white space."""
    low, high = len(text) // 4, len(text) - len(text) // 4
    inner, outer = ends(text, low, high), ends(text, 1, len(text) - 1)
    for places in (inner["paragraph"], inner["sentence"], inner["word"], outer["word"]):
        if places:
            return min(places, key=lambda at: abs(at - len(text) // 2))
    return len(text) // 2


def halved(text, limit):
    """The slow way: every text is counted, and halved at the boundary nearest to its middle."""
    if not text or len(text) <= limit:
        return [text] if text else []
    cut = middle_cut(text)
    return halved(text[:cut].rstrip(), limit) + halved(text[cut:].lstrip(), limit)


PROSE = st.lists(st.sampled_from(["ab", "cde", " ", ". ", "!\n", "\n\n", "\n \n\n", "東"]), max_size=80).map("".join)


@settings(deadline=None)
@given(TEXT | PROSE, st.integers(1, 60))
def test_counting_less_cuts_in_the_same_places(text, limit):
    assert [piece.text for piece in chunk(Document("d", "D", text), len, limit)] == halved(text.strip(), limit)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(ConfigError, match="at least 1"):
        chunk(Document("d", "D", "text"), words, limit)


def test_a_character_above_the_limit_is_refused():
    with pytest.raises(ConfigError, match="raise the limit"):
        chunk(Document("d", "D", "é"), lambda text: len(text.encode()), 1)


def test_split_keeps_documents_and_tells_its_progress():
    seen = []
    documents = tuple(Document(str(i), "T", "one two three") for i in range(3))
    result = split(Corpus(documents), words, 2, lambda *step: seen.append(step))
    assert result.documents == documents
    assert seen[-1] == ("chunk", 3, 3)
    assert [piece.document_id for piece in result.chunks_of("1")] == ["1", "1"]
    assert result.chunks_of("none") == ()
