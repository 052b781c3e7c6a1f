"""[editing]: how an agent edits its context."""

from typing import Literal

from pydantic import Field

from .section import Section


class EditingConfig(Section):
    """[editing] Pruning one's own context."""

    prune: bool = Field(True, description="offer prune_chunks")
    notice: Literal["training", "always", "never"] = Field(
        "training", description="when the transient message above the soft limit is shown"
    )
