"""A training run: a folder, a plan, one scheduler.

train_run, sft_run     session.py, sft.py   what the commands do; train (api.py) is the same from a script
Session                session.py           an opened recipe: Parts (parts.py) and Sources (sources.py)
Scheduler              scheduler.py         rollouts and updates in one pipeline, bounded by staleness
Plan, Slot             plan.py              which task, under which seeds, in which place: pure
Roller                 rollout.py           groups of episodes, stored as they end, redrawn when invalid
Checkpointer           checkpoint.py        a trained step becomes a committed one
evaluate, Arm          evaluate.py          held-out tasks with intervals       report.py: report.json
"""

from .api import train
from .demo import Recorded, demo_run, recorded
from .evaluate import Arm, difference, evaluate
from .plan import Plan, Slot
from .progress import Progress, Quiet
from .report import Report
from .session import Session, open_run, train_run
from .sft import sft_run
from .sources import OwnSources, SearchSources, Sources

__all__ = [
    "Arm",
    "OwnSources",
    "Plan",
    "Progress",
    "Quiet",
    "Recorded",
    "Report",
    "SearchSources",
    "Session",
    "Slot",
    "Sources",
    "demo_run",
    "difference",
    "evaluate",
    "open_run",
    "recorded",
    "sft_run",
    "train",
    "train_run",
]
