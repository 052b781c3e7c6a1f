"""A table of a recipe."""

import re

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Frozen, and strict about its keys: unknown ones are refused, and so are numbers that are not finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def is_variable(name: str | None) -> str | None:
    """The name of an environment variable, checked; a key may stand there by mistake."""
    if name is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise ValueError("it names an environment variable in capitals, and is not the key itself")
    return name
