"""How an agent acts: the loop, the budget, and the strategy that keeps a context within it.

    run_episode, step    loop.py        one step is one turn
    score                judging.py     the outcome
    Harness              harness.py     Policy + strategy
    opening              opening.py     what stands in front of the first action; Ruler measures it beforehand
    opened               entering.py    an environment, entered and left
    act                  acting.py      one action: what is read, what is sampled
    answer_calls         calls.py       the calls of a turn, under one budget; ask (asking.py) is one of them
    observe              observing.py   what is read back, and the usage line
    Pruning, prune       editing.py     pruning one's own context
    Budget               budget.py      window, soft and hard limit, per call
    tool, refusal        tool.py        a typed function is a tool; in_thread (threads.py) runs a plain one
    until                deadlines.py   how long is waited for what
    derive_seed          seeds.py       a seed for every purpose, from its names

Always true: an agent's mistakes are observations and counters; only the world raises.
"""

from .budget import Budget
from .editing import PRUNE, Pruning, prune, pruned_ids
from .harness import Harness
from .judging import score
from .loop import run_episode, step
from .observing import is_open, shown_tools, spoken
from .opening import Ruler, opening
from .seeds import derive_seed
from .threads import in_thread
from .tool import FunctionTool, refusal, tool

__all__ = [
    "PRUNE",
    "Budget",
    "FunctionTool",
    "Harness",
    "Pruning",
    "Ruler",
    "derive_seed",
    "in_thread",
    "is_open",
    "opening",
    "prune",
    "pruned_ids",
    "refusal",
    "run_episode",
    "score",
    "shown_tools",
    "spoken",
    "step",
    "tool",
]
