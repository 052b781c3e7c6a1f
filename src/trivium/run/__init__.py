"""A training run: a folder, a plan, one scheduler.

    train_run, sft_run     training.py, sft.py  what the commands do; train (api.py) is the same from a script
    demo_run, Recorded     demo.py              the whole road, with yardsticks (yardsticks.py) and recorded controls
    Setup                  setup.py             an opened recipe: Parts (parts.py) and Sources (sources.py)
    open_run               folder.py            the folder that keeps everything
    Scheduler              scheduler.py         rollouts and updates in one pipeline
    Plan, Slot             plan.py              which task, under which seeds, in which place: pure
    Roller                 rollout.py           groups of episodes, stored as they end, redrawn when invalid
    Checkpointer           checkpoint.py        a trained step becomes a committed one
    record                 experts.py           scripted experts: the SFT mix (with made_up.py), and the ceiling
    fitting                fitting.py           a search world without the tasks that its window cannot hold
    evaluate, Arm          evaluate.py          held-out tasks with intervals
    findings               findings.py          what the detectors found
    audit                  audit/               the proof of a run from its folder; it has a door of its own
    Report                 report.py            report.json, and where it came from
    Progress, Quiet        progress.py          how long work is told

Always true: what a step does follows from the recipe and its number, so a resumed run repeats none and skips none.
"""

from .api import train
from .demo import Recorded, demo_run, recorded
from .evaluate import Arm, difference, evaluate, observed
from .findings import findings
from .fitting import fitting
from .folder import open_run, recipe_text
from .parts import make_budget, make_renderer, model_home
from .plan import Plan, Slot
from .progress import Progress, Quiet, as_stages
from .report import Report, compared, origin, read_report
from .setup import Setup
from .sft import sft_run
from .sources import OwnSources, SearchSources, Sources
from .training import train_run

__all__ = [
    "Arm",
    "OwnSources",
    "Plan",
    "Progress",
    "Quiet",
    "Recorded",
    "Report",
    "SearchSources",
    "Setup",
    "Slot",
    "Sources",
    "as_stages",
    "compared",
    "demo_run",
    "difference",
    "evaluate",
    "findings",
    "fitting",
    "make_budget",
    "make_renderer",
    "model_home",
    "observed",
    "open_run",
    "origin",
    "read_report",
    "recipe_text",
    "recorded",
    "sft_run",
    "train",
    "train_run",
]
