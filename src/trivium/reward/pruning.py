"""How well an agent pruned: measures for reports, no part of the reward."""

from collections.abc import Collection, Sequence

from .facts import SearchFacts


def prune_accuracy(pruned: Sequence[str], gold: Collection[str]) -> float | None:
    """1 - (pruned ids that are gold) / (all pruned ids), duplicates counted (Harness-1); None if nothing was."""
    if not pruned:
        return None
    return 1 - sum(chunk in gold for chunk in pruned) / len(pruned)


def gold_kept(pruned: Collection[str], met: Collection[str], facts: SearchFacts) -> float | None:
    """Of the facts that were met, the share with a met chunk still in sight after pruning; None when none was met."""
    met_facts = [fact & set(met) for fact in facts.gold if not fact.isdisjoint(met)]
    if not met_facts:
        return None
    return sum(bool(fact - set(pruned)) for fact in met_facts) / len(met_facts)
