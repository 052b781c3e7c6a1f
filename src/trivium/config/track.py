"""[track]: where metrics go."""

from pydantic import Field

from .section import Section


class TrackConfig(Section):
    """[track] Who gets the metrics of every step besides the run's own store."""

    tensorboard: bool = Field(False, description="event files in RUN/tensorboard (extra `tensorboard`)")
    mlflow: str | None = Field(
        None,
        min_length=1,
        description="address, such as sqlite:///mlflow.db; the experiment is `name` (extra `mlflow`)",
    )
