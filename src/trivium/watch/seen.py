"""What a detector sees: the curves of a run up to a step, and the episodes of that step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from trivium.episode import Episode

from .finding import Finding

WINDOW = 5
"""Steps over which a detector takes a mean: a step of 64 episodes is too noisy alone, and 5 steps are soon over."""
SHOWN = 5
"""Episodes that a finding names at most."""


@dataclass(frozen=True)
class Seen:
    """`curves` hold one value per step that had it, oldest first, this step's included."""

    step: int
    curves: Mapping[str, Sequence[float]]
    episodes: Sequence[Episode] = ()

    def first(self, name: str, ago: int = 0) -> float | None:
        """The mean over the first window; None until, `ago` steps before, another window had passed since."""
        values = self.curves.get(name, ())
        return None if len(values) - ago < 2 * WINDOW else sum(values[:WINDOW]) / WINDOW

    def last(self, name: str, ago: int = 0) -> float | None:
        """The mean over the newest window, or over the one `ago` steps before; None before it is full."""
        values = self.curves.get(name, ())
        end = len(values) - ago
        return None if end < WINDOW else sum(values[end - WINDOW : end]) / WINDOW

    def finding(self, kind: str, text: str, evidence: Callable[[Episode], float | None]) -> Finding:
        """A finding of this step, with the episodes for which `evidence` is largest (None: no evidence)."""
        known = [(value, e.id) for e in self.episodes if (value := evidence(e)) is not None]
        ranked = sorted(known, key=lambda pair: -pair[0])[:SHOWN]
        return Finding(kind=kind, text=text, step=self.step, episodes=tuple(name for _, name in ranked))


Detector: TypeAlias = Callable[[Seen], Finding | None]
"""Tells once, at the step at which its condition begins to hold."""


def begins(holds: Callable[[int], bool]) -> bool:
    """True when a condition on (steps ago) holds now and did not one step before."""
    return holds(0) and not holds(1)
