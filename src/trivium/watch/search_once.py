"""Search once and quit: the policy gives up after one search, though one search does not answer.

    mean searches over the last 5 steps <= 1.1   and   mean recall over them <= 0.75

Why these: 1.1 means that nine in ten episodes search at most once. Tasks of which one search finds everything have a
recall near 1, and are left alone; of a task with two facts, one search finds at most one, so recall stays near 1/2.
Runs that learned the demo's tasks ended at 1.9 searches; the control with shuffled rewards at 1.0 with recall 0.49.
"""

from trivium.episode import Episode

from .finding import Finding
from .seen import Seen, begins

SEARCHES, RECALL = 1.1, 0.75


def search_once(seen: Seen) -> Finding | None:
    """A finding named ``search_once``; its evidence are episodes that searched at most once and missed most."""

    def holds(ago: int) -> bool:
        searches, recall = seen.last("term.searches", ago), seen.last("term.recall", ago)
        return searches is not None and recall is not None and searches <= SEARCHES and recall <= RECALL

    if not begins(holds):
        return None
    text = (
        f"the policy searches once and quits: {seen.last('term.searches'):.2f} searches an episode "
        f"at recall {seen.last('term.recall'):.2f}"
    )
    return seen.finding("search_once", text, _missed)


def _missed(episode: Episode) -> float | None:
    terms = episode.terms()
    if terms.get("searches", 2.0) > 1 or terms.get("recall", 1.0) >= 1:
        return None
    return 1 - terms["recall"]
