"""A recipe: all of its tables."""

import re

from pydantic import Field, field_validator

from .budget import BudgetConfig
from .editing import EditingConfig
from .environment import EnvironmentConfig
from .eval import EvalConfig
from .learn import LearnConfig
from .plan import PlanConfig
from .policy import PolicyConfig
from .reward import RewardConfig
from .schedule import ScheduleConfig
from .section import Section
from .sft import SftConfig
from .track import TrackConfig
from .watch import WatchConfig

FOLDER_NAME = re.compile(r"\w[\w. -]{0,79}")


class Recipe(Section):
    """A whole recipe."""

    name: str = Field("run", description="of its reports, and of run folders under runs/")
    seed: int = Field(0, description="fixes draws of tasks, ids and tokens")
    policy: PolicyConfig = PolicyConfig()
    environment: EnvironmentConfig = EnvironmentConfig()
    budget: BudgetConfig = BudgetConfig()
    editing: EditingConfig = EditingConfig()
    reward: RewardConfig = RewardConfig()
    learn: LearnConfig = LearnConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    watch: WatchConfig = WatchConfig()
    eval: EvalConfig = EvalConfig()
    sft: SftConfig = SftConfig()
    track: TrackConfig = TrackConfig()
    plan: PlanConfig = PlanConfig()

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not FOLDER_NAME.fullmatch(name):
            raise ValueError("it names a folder under runs/; give at most 80 letters, digits, dots, spaces, - or _")
        return name
