import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trivium.episode.errors import ConfigError
from trivium.retrieval import Dense, Lsa, Static, lsa
from trivium.retrieval.lsa import orthonormal

TEXTS = ["encode data as bytes", "serialize data as bytes", "serialize objects", "tie a rope", "splice a rope", "rope"]


def test_words_that_keep_company_find_each_other_when_dimensions_are_fewer_than_texts(monkeypatch):
    monkeypatch.setattr(lsa, "DIMS", 2)
    index = Dense.build(Lsa.fit(TEXTS), TEXTS)
    assert set(index.top("encode", 3)) == {0, 1, 2}
    assert set(index.top("splice", 3)) == {3, 4, 5}


def test_vectors_have_length_one_or_none():
    lengths = np.linalg.norm(Lsa.fit(TEXTS).encode([*TEXTS, "", "unknown"]), axis=1)
    assert lengths == pytest.approx([1] * len(TEXTS) + [0, 0], abs=1e-5)


def test_excluded_rows_make_room_for_others():
    index = Dense.build(Lsa.fit(TEXTS), TEXTS)
    first = index.top("rope", 2)
    second = index.top("rope", 2, exclude=set(first))
    assert not set(first) & set(second)
    assert len(second) >= 1


@pytest.mark.parametrize("texts", [[], [""], ["the"], ["one"], ["same", "same", "same"]])
def test_a_tiny_corpus_is_no_trouble(texts):
    index = Dense.build(Lsa.fit(texts), texts)
    assert len(index.top("same one", 5)) <= len(texts)


def test_fitting_is_deterministic_and_survives_its_arrays():
    first, second = Lsa.fit(TEXTS), Lsa.fit(TEXTS)
    assert np.array_equal(first.vectors, second.vectors)
    assert np.array_equal(Lsa.restore(first.arrays()).encode(TEXTS), first.encode(TEXTS))


@given(st.integers(1, 200), st.integers(1, 300))
def test_the_blocked_product_is_the_plain_product(size, dims):
    vectors = np.random.default_rng(size * dims).standard_normal((size, dims)).astype(np.float32)
    query = vectors[0]

    class Fixed:
        def encode(self, texts):
            return np.stack([query for _ in texts])

    assert Dense(Fixed(), vectors).scores("any") == pytest.approx(vectors @ query, rel=1e-3, abs=1e-3)


@given(arrays(np.float32, (9, 4), elements=st.floats(-1, 1, width=32)))
def test_orthonormal_gives_the_singular_values_and_an_orthonormal_basis(matrix):
    basis, singular = orthonormal(matrix)
    assert basis.T @ basis == pytest.approx(np.eye(len(singular)), abs=1e-3)
    assert singular == pytest.approx(np.linalg.svd(matrix)[1][: len(singular)], rel=1e-3, abs=1e-4)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"model\.safetensors"):
        Static(tmp_path)


def test_a_static_model_in_a_folder_is_used(tmp_path):
    model2vec = pytest.importorskip("model2vec")
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "tea": 1, "rope": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model2vec.StaticModel(np.eye(3, 4, dtype=np.float32), tokenizer).save_pretrained(tmp_path)
    model = Static(tmp_path)
    assert model.encode([]).shape == (0, 4)
    assert Dense.build(model, ["tea tea", "a rope"]).top("rope \ud800", 1) == [1]
