"""What a run will need, before it runs: sizes, memory and time from a model's configuration alone. Imports torch.

    Architecture    shape.py    a model's sizes: from a folder, or as published (`published.json`, with sources)
    predict_memory  memory.py   the peak in bytes, by what holds it
    predict_time    cost.py     operations of a step, and hours on a named accelerator
    ACCELERATORS    cost.py     what accelerators do, by their data sheets

Always true: nothing is fetched and no weights are read; a prediction says what it assumes.
"""

from .cost import ACCELERATORS, Accelerator, Time, Work, predict_time, work_of
from .memory import Memory, predict_memory
from .shape import PUBLISHED, Architecture, published, skeleton

__all__ = [
    "ACCELERATORS",
    "PUBLISHED",
    "Accelerator",
    "Architecture",
    "Memory",
    "Time",
    "Work",
    "predict_memory",
    "predict_time",
    "published",
    "skeleton",
    "work_of",
]
