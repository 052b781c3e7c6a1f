"""A table of a recipe."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Frozen, and strict about its keys: unknown ones are refused, and so are numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
