"""On real question sets, where they are at hand: set TRIVIUM_SHARED_DATA, or keep them in ../shared/data."""

import os
from pathlib import Path

import pytest

from trivium.retrieval import Search, load_beir, split

from .builders import words

ROOT = Path(os.environ.get("TRIVIUM_SHARED_DATA") or Path(__file__).parents[3] / "shared" / "data")
SETS = {"hotpotqa_train100": 0.75, "hotpotqa_dev100": 0.75, "musique_train100": 0.2, "2wiki_migres200": 0.45}


@pytest.mark.parametrize("name", SETS)
def test_all_gold_documents_are_in_the_top_ten_as_often_as_measured(name):
    folder = ROOT / "search" / name
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: set TRIVIUM_SHARED_DATA to run this test")
    beir = load_beir(folder)
    assert len(beir.corpus.report.lines()) == 1
    search = Search.open(split(beir.corpus, words, 400))
    whole = [
        set(beir.gold(query.id)) <= {hit.chunk.document_id for hit in search.search(query.text)}
        for query in beir.queries
    ]
    assert sum(whole) / len(whole) >= SETS[name]
