"""A policy: who decides. An engine, the renderer that speaks its language, how it samples, and the role it plays."""

from dataclasses import dataclass

from .engine import Engine
from .rendering.base import Renderer


@dataclass(frozen=True, slots=True)
class Policy:
    """`name` decides what is trained: a learner trains the actions that carry its own policy's name, and no others."""

    name: str
    engine: Engine
    renderer: Renderer
    role: str = "main"
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 512
    """Cap on one generation; the budget may lower it further."""
