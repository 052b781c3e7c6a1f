from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium.store import RunStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path / "run #1 (50%)") as opened:
        yield opened
