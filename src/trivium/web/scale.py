"""Axes: numbers to places, and the round numbers that are written beside them."""

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec

Point = tuple[float, float]


class Scale(msgspec.Struct, frozen=True):
    """A line from `low` to `high`, drawn from `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """The place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)


def spanning(values: Sequence[float], start: float, stop: float) -> Scale:
    """A scale that holds every value, with room where they are all alike."""
    low, high = min(values), max(values)
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        room = abs(low) / 10 or 1.0
        low, high = low - room, high + room
    return Scale(low, high, start, stop)


def ticks(scale: Scale, count: int = 4) -> list[float]:
    """About `count` round numbers (1, 2 or 5 times a power of ten) inside a scale."""
    spread = scale.high - scale.low
    power = 10.0 ** math.floor(math.log10(spread / count))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda size: abs(spread / size - count))
    first = math.ceil(scale.low / step)
    return [n * step for n in range(first, math.floor(scale.high / step) + 1)]


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """At most `most` points; of a long curve each is the mean of its neighbours (a gap, NaN, stays one)."""
    if len(points) <= most:
        return list(points)
    edges = [at * len(points) // most for at in range(most + 1)]
    bins = [points[a:b] for a, b in pairwise(edges)]
    return [(one[0][0], sum(value for _, value in one) / len(one)) for one in bins]
