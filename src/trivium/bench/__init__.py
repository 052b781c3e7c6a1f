"""The bench: what a policy is worth, and whether it got better.

    statistics.py   bootstrap_mean, bootstrap_paired, bootstrap_apart, task_mean -> Interval
    agreement.py    agreement, wilson: two judges
    best_of.py      best_of_k
    fused.py        fused: several ranked answers as one
    titles.py       ARMS, METRICS, TITLES: what people read for a name

Always true: no figure leaves without its interval, and tasks are what is resampled.
"""

from .agreement import Agreement, agreement, wilson
from .best_of import best_of_k
from .fused import fused
from .statistics import Interval, bootstrap_apart, bootstrap_mean, bootstrap_paired, task_mean
from .titles import ARMS, METRICS, TITLES, Title, arm_title, metric_title

__all__ = [
    "ARMS",
    "METRICS",
    "TITLES",
    "Agreement",
    "Interval",
    "Title",
    "agreement",
    "arm_title",
    "best_of_k",
    "bootstrap_apart",
    "bootstrap_mean",
    "bootstrap_paired",
    "fused",
    "metric_title",
    "task_mean",
    "wilson",
]
