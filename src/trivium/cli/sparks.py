"""Curves in a line of text."""

import math
from collections.abc import Sequence
from itertools import pairwise

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 40


def spark(values: Sequence[float], width: int = WIDTH) -> str:
    """Values as bars from their least to their largest; long curves are averaged into `width` places."""
    places = _binned([value for value in values if math.isfinite(value)], width)
    if not places:
        return ""
    low, high = min(places), max(places)
    if high == low:
        return BARS[0] * len(places)
    return "".join(BARS[round((value - low) / (high - low) * (len(BARS) - 1))] for value in places)


def _binned(values: Sequence[float], width: int) -> list[float]:
    if len(values) <= width:
        return list(values)
    edges = [index * len(values) // width for index in range(width + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
