"""The bench: what a policy is worth, and whether it got better.

    statistics.py   bootstrap_mean, bootstrap_paired, task_mean, task_difference, wilson -> Interval
    best_of.py      best_of_k, pass_at_k
    fusion.py       fuse_answers

Always true: no figure leaves without its interval, and tasks are what is resampled.
"""

from .best_of import best_of_k, pass_at_k
from .fusion import fuse_answers
from .statistics import Interval, bootstrap_mean, bootstrap_paired, task_difference, task_mean, wilson

__all__ = [
    "Interval",
    "best_of_k",
    "bootstrap_mean",
    "bootstrap_paired",
    "fuse_answers",
    "pass_at_k",
    "task_difference",
    "task_mean",
    "wilson",
]
