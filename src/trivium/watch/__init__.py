"""Watching: what goes wrong while a run learns, told while it runs.

    watch          watching.py           all detectors over one step
      search_once, entropy_collapse,     one a file: the condition, and why its threshold is what it is
      length_drift, constant_groups
    Seen           seen.py               curves up to a step, and the step's episodes
    Finding        finding.py            what is wrong, and where to look; an audit's are of the same kind

Always true: a detector is a pure function of curves and episodes; its threshold has a reason beside it, and was set
before the detector was run; it tells once, at the step at which its condition begins to hold, and names episodes to
read. Some figures of the runs on which the detectors are tested were known when thresholds were set.
"""

from .finding import Finding
from .seen import Detector, Seen
from .watching import DETECTORS, watch

__all__ = ["DETECTORS", "Detector", "Finding", "Seen", "watch"]
