"""Drills are episodes like any other, and they are done right."""

import asyncio

from harness.world import renderer
from trivium.episode import Scored
from trivium.run.drills import record_drills

PIECES = ["ab", "cde", "fo", "gil", "mupo", "re"]


def test_every_drill_is_answered_with_its_line() -> None:
    episodes = asyncio.run(record_drills(PIECES, renderer(), 8, 0))
    assert len({episode.id for episode in episodes}) == 8
    for episode in episodes:
        assert isinstance(episode.outcome, Scored)
        assert episode.answer == episode.task.data["line"]
        assert episode.terms()["reward"] == 1.0
