import logging

import numpy as np
import pytest

from trivium.retrieval import Cache, Search

from .builders import TEXTS, corpus

ARRAYS = {"one": np.arange(5), "two": np.ones((2, 3), np.float32)}


def test_arrays_come_back(tmp_path):
    cache = Cache(tmp_path / "deep" / "er")
    cache.store("key", ARRAYS)
    assert {name: array.tolist() for name, array in (cache.load("key") or {}).items()} == {
        name: array.tolist() for name, array in ARRAYS.items()
    }
    assert cache.load("other") is None
    assert [path.name for path in cache.folder.iterdir()] == ["key.npz"]


@pytest.mark.parametrize("harm", [b"", b"PK\x03\x04 torn", b"\x80\x04."])
def test_a_broken_entry_is_none_and_is_told(tmp_path, caplog, harm):
    (tmp_path / "key.npz").write_bytes(harm)
    with caplog.at_level(logging.WARNING):
        assert Cache(tmp_path).load("key") is None
    assert "built again" in caplog.text


def test_nothing_is_unpickled(tmp_path):
    np.savez(tmp_path / "key.npz", evil=np.array([{"a": 1}], dtype=object))
    assert Cache(tmp_path).load("key") is None


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("flip", [True, False])
def test_an_index_is_rebuilt_over_a_damaged_file(tmp_path, at, flip):
    cache = Cache(tmp_path)
    before = Search.open(corpus(TEXTS), cache=cache).search("rope brewed")
    for path in tmp_path.iterdir():
        data = bytearray(path.read_bytes())
        place = int(len(data) * at)
        data[place] ^= 0xFF
        path.write_bytes(bytes(data if flip else data[:place]))
    assert Search.open(corpus(TEXTS), cache=cache).search("rope brewed") == before


def test_an_entry_of_another_shape_is_rebuilt(tmp_path):
    cache = Cache(tmp_path)
    before = Search.open(corpus(TEXTS), cache=cache).search("rope")
    for path in list(tmp_path.iterdir()):
        cache.store(path.stem, ARRAYS)
    assert Search.open(corpus(TEXTS), cache=cache).search("rope") == before


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        Cache(tmp_path / "file").store("key", ARRAYS)
    assert "TRIVIUM_CACHE" in caplog.text


def test_the_folder_follows_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path))
    assert Cache().folder == tmp_path
