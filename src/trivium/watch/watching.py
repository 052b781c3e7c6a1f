"""All detectors over one step of a run."""

from collections.abc import Callable, Mapping, Sequence

from trivium.episode import Episode

from .constant_groups import constant_groups
from .entropy_collapse import entropy_collapse
from .finding import Finding
from .length_drift import length_drift
from .search_once import search_once
from .seen import Detector, Seen

DETECTORS: tuple[Detector, ...] = (search_once, entropy_collapse, length_drift, constant_groups)
CURVES = (
    "term.searches",
    "term.recall",
    "learn.entropy",
    "tokens.sampled",
    "batch.episodes dropped",
    "batch.episodes trained",
)
"""What the detectors read."""


def watch(
    step: int,
    metrics: Mapping[str, float],
    episodes: Sequence[Episode],
    curve: Callable[[str], Sequence[tuple[int, float]]],
) -> list[Finding]:
    """What the detectors find at a step that has these metrics, after those that `curve` tells of (step, value)."""
    curves = {name: [*(value for _, value in curve(name)), metrics[name]] for name in CURVES if name in metrics}
    found = (detector(Seen(step, curves, episodes)) for detector in DETECTORS)
    return [finding for finding in found if finding is not None]
