"""A trained step in one line, and how long it took."""

import time
from collections.abc import Callable, Mapping

from trivium.bench import metric_title
from trivium.store import ordinal

SHOWN = {
    "term.reward": ".3f",
    "term.recall": ".3f",
    "term.r_fa": ".3f",
    "term.searches": ".2f",
    "learn.entropy": ".3f",
    "parity.k3": ".1e",
}
"""Metric -> how its value is written."""
Clock = Callable[[], float]


def step_line(step: int, metrics: Mapping[str, float], seconds: float) -> str:
    """A trained step in one line."""
    figures = [f"{metric_title(key)} {metrics[key]:{form}}" for key, form in SHOWN.items() if key in metrics]
    if "parity.k3" not in metrics:
        figures += [f"loss {metrics['learn.loss']:.3f}"] if "learn.loss" in metrics else ["no group differed"]
    return "  ".join([f"step {ordinal(step):>4}", *figures, f"{seconds:.1f} s"])


class Stopwatch:
    """Times steps by their stages: `step 3: rollouts` and `step 3: update` are one step."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._what, self._since = "", clock()

    def stage(self, name: str) -> None:
        """Begin anew when the stage belongs to other work than the one before."""
        what = " ".join(name.partition(":")[0].split()[:2])
        if what != self._what:
            self._what, self._since = what, self._clock()

    def seconds(self) -> float:
        """Since this work began."""
        return self._clock() - self._since
