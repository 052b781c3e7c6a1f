"""The seam to a tracker, and what every tracker needs."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Protocol

from trivium.episode import ConfigError
from trivium.store import RunStore


class Tracker(Protocol):
    """Takes the metrics of steps, in order. May raise, and may be slow: it has a thread of its own."""

    @property
    def last(self) -> int:
        """The last step that it holds whole; -1: none."""
        ...

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Keep the values of a step; when this returns they are out of this process."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


def label(name: str) -> str:
    """A metric's name as trackers group it: ``term.reward`` is ``term/reward``; letters that they refuse become `_`."""
    return re.sub(r"[^\w. /-]", "_", name.replace(".", "/", 1))


def recorded(store: RunStore, after: int) -> Iterator[tuple[int, Mapping[str, float]]]:
    """The metrics of every committed step behind `after`."""
    steps: dict[int, dict[str, float]] = defaultdict(dict)
    for name in store.journal.metric_names():
        for step, value in store.journal.curve(name):
            if step > after:
                steps[step][name] = value
    yield from sorted(steps.items())


def require(module: str, extra: str) -> None:
    """Raise ConfigError, with the way to get it, when a tracker's package is not installed."""
    if find_spec(module) is None:
        raise ConfigError(f'track.{extra} needs the package {module}; pip install "trivium[{extra}]", or unset the key')
