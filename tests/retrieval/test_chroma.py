"""Dense retrieval by a real Chroma: a folder, and a server of its own on this machine."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trivium.config import RetrievalConfig
from trivium.envs.search.opening import open_search
from trivium.episode import ConfigError, ToolError
from trivium.retrieval import Cache, ChromaDense, Corpus, Search, load_folder, open_client, split

chromadb = pytest.importorskip("chromadb", reason="the extra `chroma` is not installed: pip install chromadb")
TEXTS = {
    "jam": "Rhubarb jam keeps for a year in a cool dark cellar.",
    "train": "The night train to Lisbon leaves from platform seven.",
    "crane": "The harbour crane lifts forty tonnes of steel.",
    "wax": "Beeswax polish brings back the shine of old oak tables.",
    "cellar": "A cool cellar keeps apples, potatoes and jars of jam over winter.",
    "steel": "Steel beams arrive at the harbour on the night train.",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    folder = tmp_path_factory.mktemp("pages")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    return split(load_folder(folder), lambda text: len(text.split()), 8)


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "cache")


QUERIES = ("jam cellar", "harbour steel", "night train Lisbon", "oak tables", "nothing of it", "")


def test_a_collection_finds_what_the_index_in_memory_finds(corpus, cache, tmp_path):
    plain = Search.open(corpus, cache=cache)
    kept = Search.open(corpus, cache=cache, chroma=open_client(tmp_path / "chroma"))
    assert isinstance(kept.dense, ChromaDense)
    for query in QUERIES:
        same(kept, plain, query, ())
        same(kept, plain, query, tuple(hit.chunk.id for hit in plain.search(query, 2)))
        assert kept.read("jam.txt", query) == plain.read("jam.txt", query)
        assert kept.dense.scores(query) == pytest.approx(plain.dense.scores(query), abs=1e-5)


def same(kept: Search, plain: Search, query: str, hidden: tuple[str, ...]) -> None:
    rows = [plain.corpus.row_of[one] for one in hidden]
    cosine = plain.dense.scores(query)
    near = [row for row in plain.dense.top(query, 4, rows) if cosine[row] > 1e-6]  # what is less is rounding
    assert kept.dense.top(query, 4, rows) == near
    assert {hit.chunk.id for hit in kept.search(query, 4, hidden)}.isdisjoint(hidden)


def test_a_collection_is_filled_once_and_goes_on_where_it_stands(corpus, cache, tmp_path):
    client = open_client(tmp_path / "chroma")
    first = Search.open(corpus, cache=cache, chroma=client)
    (collection,) = client.list_collections()
    assert collection.count() == len(corpus.chunks)
    collection.delete(ids=[str(len(corpus.chunks) - 1)])  # as after a kill while it was filled
    again = Search.open(corpus, cache=cache, chroma=client)
    assert [one.name for one in client.list_collections()] == [collection.name]
    assert collection.count() == len(corpus.chunks)
    assert again.search("jam") == first.search("jam")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(tmp_path_factory.mktemp("server"))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as served:
        for _ in range(150):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
        served.kill()


def test_a_server_does_the_same_by_configuration(corpus, url, tmp_path, monkeypatch):
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path))
    served = open_search(corpus, RetrievalConfig.model_validate({"chroma": {"url": url}}))
    plain = open_search(corpus, RetrievalConfig())
    assert isinstance(served.dense, ChromaDense)
    assert not isinstance(plain.dense, ChromaDense)
    (kept,) = open_client(url=url).list_collections()
    assert kept.count() == len(corpus.chunks)
    for query in QUERIES:
        same(served, plain, query, ())


def test_what_chroma_does_wrong_is_never_the_agent_s_mistake(corpus, cache, tmp_path):
    client = open_client(tmp_path / "chroma")
    search = Search.open(corpus, cache=cache, chroma=client)
    for one in client.list_collections():
        client.delete_collection(one.name)
    with pytest.raises(ToolError, match=r"the Chroma collection trivium-.* does not answer"):
        search.search("jam")


def test_a_server_that_is_not_there_is_said_at_once():
    with pytest.raises(ConfigError, match=r"Chroma at http://127\.0\.0\.1:9 cannot be opened"):
        open_client(url="http://127.0.0.1:9")
