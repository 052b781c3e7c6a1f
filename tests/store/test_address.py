"""How people name a checkpoint of a run."""

from pathlib import Path

import pytest

from trivium.store import run_at


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("runs/a", ("runs/a", None)),
        ("runs/a@3", ("runs/a", 3)),
        ("runs/me@home", ("runs/me@home", None)),
        ("runs/me@home@12", ("runs/me@home", 12)),
        ("@3", ("@3", None)),
    ],
)
def test_a_number_behind_the_last_at_is_the_step(name: str, found: tuple[str, int | None]) -> None:
    assert run_at(name) == (Path(found[0]), found[1])
