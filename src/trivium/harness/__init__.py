"""How an agent acts: the loop, the budget, and the strategies that keep a context within it.

run, step, score     loop.py      one step is one turn; Harness = Policy + strategy
answer_calls         calls.py     the calls of a turn, under one budget
Pruning, prune       editing.py   pruning one's own context
Budget               budget.py    window, soft and hard limit, per call
tool                 tool.py      a typed function is a tool
"""

from .budget import Budget
from .editing import PRUNE, Pruning, prune, pruned_ids
from .loop import Harness, opening, run, score, step
from .seeds import derive
from .tool import FunctionTool, refusal, tool

__all__ = [
    "PRUNE",
    "Budget",
    "FunctionTool",
    "Harness",
    "Pruning",
    "derive",
    "opening",
    "prune",
    "pruned_ids",
    "refusal",
    "run",
    "score",
    "step",
    "tool",
]
