"""The audit of a run: that what was trained is what was sampled, from the run's folder alone.

    Auditor ── Audit (page, JSON)                  auditor.py, result.py
       ├─ the ledger     membership.py, planned.py, learned.py (advantages, rows and counts, against the
       │                batch that replay.py makes again)
       ├─ an episode     growth.py, contexts.py, turns.py, wording.py, sampled.py, rewards.py
       └─ the weights    versions.py (the chain), stored.py (what is kept), recompute.py (log-probs)
    subject.py, episode.py                         what is read: a step, an episode, the rules

Always true: nothing is taken on trust that can be made again; what cannot be is counted with its reason. A check yields
`Finding`s that name kind, step, episode, node and token, and changes nothing.
"""

from .auditor import Auditor
from .recompute import Token
from .result import Audit, cells

__all__ = ["Audit", "Auditor", "Token", "cells"]
