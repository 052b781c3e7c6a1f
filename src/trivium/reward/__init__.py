"""Rewards: what an episode was worth, term by term.

    Rubric of Terms ── any function of an episode                         rubric.py
    Context1Reward  ── the reward of the Context-1 report                 context1.py
       SearchFacts, SearchRecord (facts.py) ── f_beta, fact_recall, fact_precision (f_score.py)
       prune_penalty, turn_penalty, malformed_penalty (penalties.py) ── beta2 (schedule.py)
    prune_accuracy, gold_kept ── measures for reports                     pruning.py

Always true: a reward is a pure function of plain data, and each of its terms is logged under its own name.
"""

from .context1 import Context1Reward
from .f_score import f_beta, fact_precision, fact_recall
from .facts import SearchFacts, SearchRecord
from .penalties import malformed_penalty, prune_penalty, turn_penalty
from .pruning import gold_kept, prune_accuracy
from .rubric import Rubric, Term
from .schedule import beta2

__all__ = [
    "Context1Reward",
    "Rubric",
    "SearchFacts",
    "SearchRecord",
    "Term",
    "beta2",
    "f_beta",
    "fact_precision",
    "fact_recall",
    "gold_kept",
    "malformed_penalty",
    "prune_accuracy",
    "prune_penalty",
    "turn_penalty",
]
