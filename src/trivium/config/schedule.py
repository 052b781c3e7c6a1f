"""[schedule]: how much is trained."""

from pydantic import Field

from .section import Section


class ScheduleConfig(Section):
    """[schedule] How much, and when to stop."""

    steps: int = Field(100, ge=0, description="training steps at most")
    minutes: float | None = Field(
        None, gt=0, description="train at most this many minutes per command; the running step is completed"
    )
    groups: int = Field(8, ge=1, description="tasks of a step")
    group_size: int = Field(8, ge=2, description="episodes of a task")
    epochs: int = Field(5, ge=1, description="over which beta anneals; an epoch is one pass over the tasks")
    short_first: int = Field(0, ge=0, description="epochs that draw only the tasks of fewest hops, before all others")
    redraws: int = Field(3, ge=0, description="new attempts for an episode that infrastructure failed")
    keep: int = Field(3, ge=1, description="checkpoints that stay on disk, the newest ones, for RUN@STEP and the audit")
