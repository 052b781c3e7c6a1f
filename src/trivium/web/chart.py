"""A line chart as SVG: axes with round numbers, a line per series, a gap where a value is not finite."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from .markup import Markup, joined, tag
from .scale import Point, Scale, spanning, thinned, ticks

WIDTH, HEIGHT = 380, 170
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 8, 22
MOST = 300
"""Points of a line at most."""
DOTTED = 80
"""Up to so many points each has a dot that tells its value."""


class Series(msgspec.Struct, frozen=True):
    """A named curve: (step as people count, value)."""

    label: str
    points: Sequence[Point]


def chart(title: str, series: Sequence[Series]) -> Markup:
    """A figure with its title."""
    drawn = [Series(one.label, thinned(one.points, MOST)) for one in series]
    finite = [point for one in drawn for point in one.points if math.isfinite(point[1])]
    lost = sum(not math.isfinite(value) for one in series for _, value in one.points)
    names = [tag("span", one.label, class_=f"s{at}") for at, one in enumerate(drawn)] if len(drawn) > 1 else []
    notes = [tag("span", f"{lost} values are not finite", class_="bad")] if lost else []
    caption = tag("figcaption", title, *names, *notes)
    if not finite:
        return tag("figure", caption, tag("p", "no value yet"), class_="chart")
    across = spanning([step for step, _ in finite], LEFT, WIDTH - RIGHT)
    up = spanning([value for _, value in finite], HEIGHT - BOTTOM, TOP)
    lines = [mark for at, one in enumerate(drawn) for mark in _line(one, at, across, up)]
    box = f"0 0 {WIDTH} {HEIGHT}"
    svg = tag("svg", *_axes(across, up), *lines, viewBox=box, role="img", aria_label=title)
    return tag("figure", caption, svg, class_="chart")


def _axes(across: Scale, up: Scale) -> Iterator[Markup]:
    bottom = HEIGHT - BOTTOM
    for value in ticks(up):
        y = f"{up(value):.1f}"
        yield tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid")
        yield tag("text", f"{value:.4g}", x=LEFT - 5, y=y, class_="left")
    for value in ticks(across, 6):
        if value == int(value):
            x = f"{across(value):.1f}"
            yield tag("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis")
            yield tag("text", f"{value:.0f}", x=x, y=bottom + 15, class_="below")
    yield tag("path", d=f"M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}", class_="axis")


def _line(series: Series, at: int, across: Scale, up: Scale) -> Iterator[Markup]:
    for is_finite, run in groupby(series.points, key=lambda point: math.isfinite(point[1])):
        if is_finite:
            places = [(step, value, f"{across(step):.1f},{up(value):.1f}") for step, value in run]
            yield tag("polyline", points=" ".join(place for _, _, place in places), class_=f"line s{at}")
            if len(series.points) <= DOTTED or len(places) == 1:
                yield joined(*(_dot(series.label, at, *place) for place in places))


def _dot(label: str, at: int, step: float, value: float, place: str) -> Markup:
    x, y = place.split(",")
    told = tag("title", f"{label}, step {step:.0f}: {value:.6g}")
    return tag("circle", told, cx=x, cy=y, r=2, class_=f"dot s{at}")
