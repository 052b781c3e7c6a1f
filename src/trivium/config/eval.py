"""[eval]: what is measured."""

from pydantic import Field

from .section import Section


class EvalConfig(Section):
    """[eval] Measured on the held-out tasks."""

    tasks: int = Field(200, ge=0, description="held-out tasks (0: no evaluation)")
    samples: int = Field(1, ge=1, description="episodes of each task")
    temperature: float = Field(1.0, ge=0, description="of sampling in evaluation")
