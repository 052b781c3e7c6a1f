import pickle
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.episode.errors import DataError
from trivium.retrieval import Chunk, Corpus, Document, Hit, Search, within

from .builders import TEXTS, corpus

shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
IDS = [piece.id for piece in corpus(TEXTS).chunks]


def test_the_best_chunk_comes_first(search):
    assert search.search("who carried tea to Japan")[0].chunk.document_id == "tea"
    assert search.search("bowline loop", k=1)[0].chunk.document_id == "knot"


@shared_fixture
@given(query=st.text(max_size=60), k=st.integers(-1, 12), exclude=st.sets(st.sampled_from([*IDS, "unknown"])))
def test_any_query_gives_at_most_k_distinct_hits_none_excluded(search, query, k, exclude):
    hits = search.search(f"{query} rope tea", k, exclude)
    ids = [hit.chunk.id for hit in hits]
    assert len(ids) == len(set(ids)) <= max(k, 0)
    assert not exclude & set(ids)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_order_in_which_ids_are_excluded_does_not_matter(search):
    exclude = list(IDS[:4])
    first = search.search("rope tea brewed", exclude=exclude)
    random.Random(0).shuffle(exclude)
    assert search.search("rope tea brewed", exclude=exclude) == first


def test_exclusion_is_before_the_candidates_are_cut():
    many = corpus({f"d{i}": "rope" for i in range(200)})
    search = Search.open(many)
    seen: set[str] = set()
    for _ in range(20):
        hits = search.search("rope", exclude=seen)
        assert len(hits) == 10
        assert not seen & {hit.chunk.id for hit in hits}
        seen |= {hit.chunk.id for hit in hits}
    assert search.search("rope", exclude=seen) == []


@pytest.mark.parametrize("query", ["", " \n", "\x00\x07\x1b[31m", "zzz", "rope " * 20_000, "\ud800", "((((", "東"])
def test_hostile_queries_do_no_harm(search, query):
    assert len(search.search(query)) <= 10
    assert search.read("tea", query)


def test_a_large_k_is_answered_in_full():
    search = Search.open(corpus({f"d{i}": f"rope number{i}" for i in range(120)}))
    assert len(search.search("rope", k=100)) == 100


def test_read_returns_the_document_in_order(search):
    hits = search.read("tea", "Japan")
    assert [hit.chunk for hit in hits] == list(search.corpus.chunks_of("tea"))
    assert max(hits, key=lambda hit: hit.score).chunk.text.endswith("Japan.")
    assert search.read("tea_1", "Japan") == hits
    assert search.read("nothing") == []
    assert [hit.score for hit in search.read("tea")] == [0.0] * len(hits)


def test_read_keeps_the_best_chunks_in_document_order(search):
    kept = search.read("tea", "Japan leaves", limit=2)
    assert [hit.chunk.index for hit in kept] == sorted(hit.chunk.index for hit in kept)
    assert {"Japan", "leaves"} <= set(" ".join(hit.chunk.text for hit in kept).replace(".", "").split())


def test_a_document_whose_id_looks_like_a_chunk_is_itself():
    search = Search.open(corpus({"a": "tea", "a_0": "rope"}))
    assert search.read("a_0")[0].chunk.text == "rope"
    assert search.owner("a_0_0") == "a_0"


def test_within_stops_at_the_first_hit_that_overflows():
    hits = [
        Hit(Chunk(str(i), "d", i, "x" * size, ""), score) for i, (size, score) in enumerate([(1, 1), (9, 2), (4, 3)])
    ]
    assert [hit.chunk.id for hit in within(hits, lambda piece: len(piece.text), 5)] == ["2"]
    assert within(hits, lambda piece: len(piece.text), 14) == hits
    assert within(hits, lambda piece: len(piece.text), 0) == []


def test_a_corpus_without_chunks_is_refused():
    with pytest.raises(DataError, match="split"):
        Search.open(Corpus((Document("a", "A", "text"),)))


def test_a_second_opening_comes_from_the_cache_and_finds_the_same(search):
    stages = []
    again = Search.open(corpus(TEXTS), progress=lambda *step: stages.append(step))
    assert stages == []
    assert again.search("rope brewed") == search.search("rope brewed")


def test_a_pickled_search_finds_and_greps_the_same(search):
    search.grep("rope")
    copy = pickle.loads(pickle.dumps(search))
    assert copy.search("rope") == search.search("rope")
    assert copy.grep("rope") == search.grep("rope")
    copy.close()


def test_equal_content_has_an_equal_digest_and_other_content_another():
    assert corpus(TEXTS).digest == corpus(TEXTS).digest
    assert corpus(TEXTS).digest != corpus(TEXTS, limit=3).digest
