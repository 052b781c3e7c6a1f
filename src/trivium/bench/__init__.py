"""The bench: what a policy is worth, and whether it got better.

    statistics.py   bootstrap_mean, bootstrap_paired, bootstrap_apart, task_mean -> Interval
    best_of.py      best_of_k

Always true: no figure leaves without its interval, and tasks are what is resampled.
"""

from .best_of import best_of_k
from .statistics import Interval, bootstrap_apart, bootstrap_mean, bootstrap_paired, task_mean

__all__ = ["Interval", "best_of_k", "bootstrap_apart", "bootstrap_mean", "bootstrap_paired", "task_mean"]
