"""What the window held at each turn: a bar per action, from the tree alone."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from trivium.episode import Episode, Node, NodeId, Tree

from .markup import Markup, joined, tag
from .scale import Scale

WIDTH, ROW, NAMES, TOP = 900, 24, 150, 22


class Span(msgspec.Struct, frozen=True):
    """A stretch of the window: who wrote it, how long it is, and which part of a result it is."""

    node: NodeId
    kind: str
    tokens: int
    part: str | None = None


class Turn(msgspec.Struct, frozen=True):
    """The window in which an action was sampled (`action`), or that stood at the end (None)."""

    action: NodeId | None
    spans: tuple[Span, ...]
    gone: tuple[str, ...]
    """Parts that the turn before still held."""

    @property
    def used(self) -> int:
        """Tokens in the window, the action included."""
        return sum(span.tokens for span in self.spans)


def turns(episode: Episode) -> list[Turn]:
    """Every action in order, then the final context of each agent."""
    tips: list[tuple[NodeId | None, NodeId]] = [(node.id, node.id) for node in episode.tree.actions()]
    tips += [(None, agent.tip) for agent in episode.agents.values() if agent.tip is not None]
    held: dict[NodeId, list[str]] = {}
    found = []
    for action, tip in tips:
        spans = _spans(episode.tree, tip)
        parts = [span.part for span in spans if span.part is not None]
        root = episode.tree.path(tip)[0].id
        gone = tuple(part for part in held.get(root, []) if part not in parts)
        held[root] = parts
        found.append(Turn(action, spans, gone))
    return found


def _spans(tree: Tree, tip: NodeId) -> tuple[Span, ...]:
    return tuple(span for node in tree.path(tip) for span in _cut(node))


def _cut(node: Node) -> Iterator[Span]:
    at = 0
    for part in node.parts:
        if part.start > at:
            yield Span(node.origin, node.kind, part.start - at)
        yield Span(node.origin, node.kind, part.stop - part.start, part.id)
        at = part.stop
    if at < len(node.tokens):
        yield Span(node.origin, node.kind, len(node.tokens) - at)


def drawing(found: Sequence[Turn], limits: Mapping[str, int], pruned: set[str]) -> Markup:
    """The bars, under the limits of the budget (name -> tokens)."""
    most = max([turn.used for turn in found] + list(limits.values()), default=1)
    scale = Scale(0, max(1, most), NAMES, WIDTH - 180)
    height = TOP + ROW * len(found) + 4
    marks = [mark for name, tokens in limits.items() for mark in _limit(name, tokens, scale, height)]
    bars = [bar for row, turn in enumerate(found) for bar in _bar(turn, row, scale, pruned)]
    label = "what the window held at each turn"
    svg = tag("svg", *bars, *marks, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label, class_="window")
    return tag("div", svg, class_="wide")


def _limit(name: str, tokens: int, scale: Scale, height: int) -> Iterator[Markup]:
    x = f"{scale(tokens):.1f}"
    yield tag("line", x1=x, x2=x, y1=TOP - 4, y2=height, class_=f"limit {name}")
    yield tag("text", f"{name} {tokens}", x=x, y=TOP - 8, class_="below")


def _bar(turn: Turn, row: int, scale: Scale, pruned: set[str]) -> Iterator[Markup]:
    y, at = TOP + ROW * row, 0
    name = "at the end" if turn.action is None else f"turn {row + 1}, action #{turn.action}"
    yield tag("text", name, x=NAMES - 8, y=y + ROW / 2, class_="left")
    for place, span in enumerate(turn.spans):
        sampled = turn.action is not None and place == len(turn.spans) - 1
        yield _rectangle(span, scale(at), scale(at + span.tokens), y, sampled, span.part in pruned)
        at += span.tokens
    told = f"{turn.used} tokens" + (f"; left: {', '.join(turn.gone)}" if turn.gone else "")
    yield tag("text", told, x=f"{scale(at) + 6:.1f}", y=y + ROW / 2, class_="right")


def _rectangle(span: Span, left: float, right: float, y: float, sampled: bool, leaves: bool) -> Markup:
    part = "" if span.part is None else f", part {span.part}{', pruned later' if leaves else ''}"
    told = tag("title", f"#{span.node} {span.kind}{part}: {span.tokens} tokens")
    marks = f"k-{span.kind}" + " sampled" * sampled + " leaves" * leaves
    box = {"x": f"{left:.1f}", "width": f"{max(0.5, right - left - 0.5):.1f}", "y": y + 3, "height": ROW - 6}
    return tag("a", tag("rect", joined(told), class_=marks, **box), href=f"#node-{span.node}")
