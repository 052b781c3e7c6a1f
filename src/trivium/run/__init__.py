"""A training run: a folder, a plan, one scheduler.

    train_run, sft_run     training.py, sft.py  what the commands do; train (api.py) is the same from a script
    demo_run, Recorded     demo.py              the whole road, with yardsticks (yardsticks.py) and recorded controls
    Setup                  setup.py             an opened recipe: its policy and its Sources (sources.py)
    OpenedPolicy           opened_policy.py     policy_model.py (open_model), rendering.py, budgeting.py, and an engine
    make_learner           learning.py          the learner of [learn]
    remote_engine          remote.py            a server that decides; it is not trained
    policy_folder          policy_folder.py     where a policy lies, and (base_folder) where its base does
    open_run               folder.py            the folder that keeps everything
    Scheduler              scheduler.py         step by step, rollouts and then the update
    Plan, PlannedGroup     plan.py              which task, under which seeds, in which place: pure
    Roller                 rollout.py           groups of episodes, stored as they end, redrawn when invalid
    step_batch             batching.py          from the episodes of a step to its batch
    Checkpointer           checkpoint.py        a trained step becomes a committed one (members.py: who trained)
    resumed                resuming.py          learner and engine at the last committed step
    redrawn                redraw.py            what infrastructure failed is lived anew
    Recorder               experts.py           scripted experts: the SFT mix (with made_up.py), and the ceiling
    open_world             world.py             the search world of a recipe, without tasks that its window cannot hold
    evaluate, Arm          evaluate.py          held-out tasks with intervals
    fusion                 fusing.py            several episodes of one question, judged as one answer
    make_tasks             making.py            a set of tasks over a corpus, by a model or by structure
    write_sheet, agree     labels.py            such tasks under people's eyes: a blind sheet, and the agreement
    findings               findings.py          what the detectors found
    audit                  audit/               the proof of a run from its folder; it has a door of its own
    Report                 report.py            report.json, and where it came from
    export                 export.py            a checkpoint as a Hugging Face folder (lineage.py, card.py)
    Tracker                tracking/            TensorBoard and MLflow take the same metrics
    Progress, Quiet        progress.py          how long work reports its progress

Always true: what a step does follows from the recipe and its number, so a resumed run repeats none and skips none.
"""

from .api import train
from .budgeting import make_budget
from .demo import Recorded, demo_run, recorded
from .drawing import shown
from .evaluate import Arm, difference, episode_metrics, evaluate
from .export import export
from .findings import findings
from .folder import open_run, recipe_text
from .fusing import Fusion, fusion
from .labels import agree, write_sheet
from .making import make_tasks
from .plan import Plan, PlannedGroup
from .policy_folder import base_folder, policy_folder
from .policy_model import open_model
from .progress import Progress, Quiet, as_stages
from .remote import remote_engine, require_trainable
from .rendering import make_renderer
from .report import Report, compared, make_report, read_report
from .setup import Setup
from .sft import sft_run
from .sources import OwnSources, SearchSources, Sources
from .training import train_run
from .world import open_world

__all__ = [
    "Arm",
    "Fusion",
    "OwnSources",
    "Plan",
    "PlannedGroup",
    "Progress",
    "Quiet",
    "Recorded",
    "Report",
    "SearchSources",
    "Setup",
    "Sources",
    "agree",
    "as_stages",
    "base_folder",
    "compared",
    "demo_run",
    "difference",
    "episode_metrics",
    "evaluate",
    "export",
    "findings",
    "fusion",
    "make_budget",
    "make_renderer",
    "make_report",
    "make_tasks",
    "open_model",
    "open_run",
    "open_world",
    "policy_folder",
    "read_report",
    "recipe_text",
    "recorded",
    "remote_engine",
    "require_trainable",
    "sft_run",
    "shown",
    "train",
    "train_run",
    "write_sheet",
]
