"""Every test of this room keeps its cache in a folder of its own."""

from collections.abc import Iterator

import pytest

from trivium.retrieval import Search

from .builders import TEXTS, corpus


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def search() -> Iterator[Search]:
    opened = Search.open(corpus(TEXTS))
    yield opened
    opened.close()
