"""Recipes: everything that a run reads, as data. No torch here.

A recipe is a TOML file; `--set a.b=c` overrides a key. Unknown keys are refused with the nearest known name. Defaults
are the vetted setting; every field says what it does and in which unit.

    Recipe        recipe.py     the whole; a table is a Section (section.py), and has a file by its name:
                                policy.py, environment.py, retrieval.py, budget.py, editing.py, reward.py, learn.py,
                                schedule.py, watch.py, eval.py, sft.py, track.py, plan.py
    load_recipe   loading.py    from a file or plain data, in one sentence where something is wrong
    known_keys    keys.py       all keys, and those that differ from their defaults
    RENAMED       renamed.py    what keys were called before
"""

from .budget import BudgetConfig
from .editing import EditingConfig
from .environment import CorpusConfig, EnvironmentConfig, ShownConfig, TasksConfig
from .eval import EvalConfig
from .keys import changed_keys, known_keys, read_no_more, still_read
from .learn import READ_BY, LearnConfig
from .loading import Override, load_kept, load_recipe, make_recipe, stored_recipe
from .plan import PlanConfig
from .policy import LoraConfig, PolicyConfig, RemoteConfig, RendererName
from .recipe import FOLDER_NAME, Recipe
from .retrieval import ChromaConfig, RerankerConfig, RetrievalConfig
from .reward import RewardConfig
from .schedule import ScheduleConfig
from .section import Section
from .sft import SftConfig
from .track import TrackConfig
from .watch import WatchConfig

__all__ = [
    "FOLDER_NAME",
    "READ_BY",
    "BudgetConfig",
    "ChromaConfig",
    "CorpusConfig",
    "EditingConfig",
    "EnvironmentConfig",
    "EvalConfig",
    "LearnConfig",
    "LoraConfig",
    "Override",
    "PlanConfig",
    "PolicyConfig",
    "Recipe",
    "RemoteConfig",
    "RendererName",
    "RerankerConfig",
    "RetrievalConfig",
    "RewardConfig",
    "ScheduleConfig",
    "Section",
    "SftConfig",
    "ShownConfig",
    "TasksConfig",
    "TrackConfig",
    "WatchConfig",
    "changed_keys",
    "known_keys",
    "load_kept",
    "load_recipe",
    "make_recipe",
    "read_no_more",
    "still_read",
    "stored_recipe",
]
