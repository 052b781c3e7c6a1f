"""F_beta of what was returned, by fact (Context-1 report; a document is a fact with one id).

    R = |facts found in the output| / |facts|          a fact is found when any of its chunks is there
    P = |facts found| / (|facts found| + |output chunks that belong to no fact|)
    F = (1 + beta^2) P R / (beta^2 P + R),  0 where P = R = 0

Always true: a fact counts once, whichever of its chunks is found and however many; the output is a set. With one id a
fact, P and R are the usual precision and recall.
"""

from collections.abc import Collection

from .facts import SearchFacts


def f_beta(precision: float, recall: float, beta2: float) -> float:
    """The weighted harmonic mean; recall weighs `beta2` (= beta squared) times as much as precision."""
    weighted = beta2 * precision + recall
    return (1 + beta2) * precision * recall / weighted if weighted > 0 else 0.0


def fact_recall(facts: SearchFacts, ids: Collection[str]) -> float:
    """The share of the facts with a chunk among `ids`, in [0, 1]."""
    return _found(facts, ids) / len(facts.gold)


def fact_precision(facts: SearchFacts, ids: Collection[str]) -> float:
    """Found facts among found facts and stray chunks, in [0, 1]; 0 for an empty output."""
    found = _found(facts, ids)
    stray = len(set(ids) - facts.gold_ids)
    return found / (found + stray) if found else 0.0


def _found(facts: SearchFacts, ids: Collection[str]) -> int:
    return sum(not fact.isdisjoint(ids) for fact in facts.gold)
