"""Trackers: the metrics of every committed step, where people watch many runs. The run's own store comes first.

    Tracker        tracker.py       the seam: log(step, {name: value})
    tracked        tracked.py       a setup whose progress tells the recipe's trackers too
                   line.py          one tracker in a thread of its own
    TensorBoard    tensorboard.py   event files in the run's folder
    MLflow         mlflow.py        any MLflow address, a SQLite file included

Always true: a tracker never stops or delays a run; what it failed to take is counted and told once. A tracker holds
what the store holds: a resumed run first sends what is missing, and no step twice.
"""

from .tracked import tracked
from .tracker import Tracker

__all__ = ["Tracker", "tracked"]
