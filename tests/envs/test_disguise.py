"""A disguised corpus keeps its shape, its links and its names, and none of its rarer words."""

import re

from hypothesis import given
from hypothesis import strategies as st

from trivium.envs.search import common_words, disguise, sample
from trivium.retrieval import Document

PIECES = ["ab", "cde", "fo", "gil", "mupo", "re"]
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
words = st.sampled_from(["the", "of", "rope", "Knot", "HTTPServer", "tea_leaf", "x", "readLine", "TEA", "mupo"])
texts = st.lists(words, max_size=8).map(" ".join)
names = st.lists(st.sampled_from(["a.rope", "a.Knot", "b.teaLeaf", "b.HTTPServer", "c"]), unique=True, max_size=5)
corpora = names.flatmap(
    lambda ids: st.tuples(*(texts for _ in ids)).map(
        lambda said: [
            Document(name, name, f"{text} See {ids[0]}.", (ids[0],)) for name, text in zip(ids, said, strict=True)
        ]
    )
)


@given(documents=corpora, seed=st.integers(0, 9))
def test_one_word_one_disguise(documents, seed):
    masked = disguise(documents, {"the", "of"}, PIECES, seed)
    pairs = {
        (before.lower(), after.lower())
        for old, new in zip(documents, masked.documents, strict=True)
        for before, after in zip(PARTS.findall(old.text), PARTS.findall(new.text), strict=True)
    }
    assert len({before for before, _ in pairs}) == len({after for _, after in pairs}) == len(pairs)
    kept = {before for before, after in pairs if before == after}
    assert kept <= {"the", "of", "x", "a", "b", "c", *PIECES}


@given(documents=corpora, seed=st.integers(0, 9))
def test_shape_links_and_mentions_stay(documents, seed):
    masked = disguise(documents, {"the"}, PIECES, seed)
    ids = {item.id for item in masked.documents}
    for old, new in zip(documents, masked.documents, strict=True):
        assert re.sub(r"[A-Za-z]+", "", old.text) == re.sub(r"[A-Za-z]+", "", new.text)
        assert len(new.links) == 1
        assert set(new.links) <= ids
        assert new.links[0] in new.text
        assert new.title == new.id
    assert disguise(documents, {"the"}, PIECES, seed).digest == masked.digest


def test_common_words_are_those_of_many_documents():
    documents = [Document(f"d{i}", "t", f"The page on {'rope' if i < 3 else 'tea'}{'s' * i}") for i in range(300)]
    assert common_words(documents) == {"the", "page", "on"}
    assert common_words(documents[:2]) == frozenset()


def test_a_sample_brings_neighbours_and_what_they_link_to():
    documents = [Document(f"d{i:03}", "t", "", (f"d{(i * 7) % 200:03}",)) for i in range(200)]
    chosen = sample(documents, 30, 1)
    ids = [item.id for item in chosen]
    assert ids == sorted(ids)
    assert 30 <= len(ids) <= 54
    blocks = [range(start, start + 12) for start in range(0, 200, 12)]
    whole = [block for block in blocks if {f"d{i:03}" for i in block if i < 200} <= set(ids)]
    linked = {f"d{(i * 7) % 200:03}" for block in whole for i in block}
    assert set(ids) == linked | {f"d{i:03}" for block in whole for i in block if i < 200}
    assert sample(documents, 500, 1) == documents
    assert sample(documents, 30, 2) != chosen
