"""The context tree as lanes: a row per node in the order in which they came to be, a lane per branch.

Always true: the context that lived longest keeps its lane; what was edited away, and a transient notice, lie beside it.
"""

from collections.abc import Iterator, Sequence

from trivium.episode import Episode, Node, NodeId

from .markup import Markup, tag
from .reading import again

ROW, LANE, LEFT = 22, 16, 14


def lanes(nodes: Sequence[Node]) -> list[int]:
    """The lane of every node: that of its parent where it is the branch with the latest node, else one that is free
    from its parent to the end of its branch."""
    last = _last(nodes)
    heir = _heirs(nodes, last)
    lane: list[int] = []
    busy: list[int] = []
    for node in nodes:
        if node.parent is not None and heir[node.parent] == node.id:
            lane.append(lane[node.parent])
            continue
        since = node.id if node.parent is None else node.parent
        free = next((at for at, until in enumerate(busy) if until < since), len(busy))
        busy[free : free + 1] = [last[node.id]]
        lane.append(free)
    return lane


def _heirs(nodes: Sequence[Node], last: Sequence[NodeId]) -> dict[NodeId, NodeId]:
    """The child of each node that goes on in its lane."""
    heir: dict[NodeId, NodeId] = {}
    for node in nodes:
        if node.parent is not None:
            rival = heir.setdefault(node.parent, node.id)
            heir[node.parent] = max(rival, node.id, key=last.__getitem__)
    return heir


def _last(nodes: Sequence[Node]) -> list[NodeId]:
    """The latest node at or below each."""
    last = [node.id for node in nodes]
    for node in reversed(nodes):
        if node.parent is not None:
            last[node.parent] = max(last[node.parent], last[node.id])
    return last


def drawing(episode: Episode, pruned: set[str], trained: bool) -> Markup:
    """The lanes, with a line of words beside each node that leads to its text."""
    nodes = episode.tree.nodes
    lane = lanes(nodes)
    words = LEFT + LANE * (max(lane, default=0) + 1)
    edges = [_edge(node, lane) for node in nodes if node.parent is not None]
    rows = [mark for node in nodes for mark in _row(node, episode, lane[node.id], words, pruned, trained)]
    box = f"0 0 900 {ROW * len(nodes) + 6}"
    return tag(
        "div", tag("svg", *edges, *rows, viewBox=box, role="img", aria_label="the tree", class_="tree"), class_="wide"
    )


def _place(node: NodeId, lane: int) -> tuple[float, float]:
    return LEFT + LANE * lane, ROW * node + ROW / 2


def _edge(node: Node, lane: Sequence[int]) -> Markup:
    assert node.parent is not None
    (x0, y0), (x1, y1) = _place(node.parent, lane[node.parent]), _place(node.id, lane[node.id])
    path = f"M{x0} {y0}" + (f"C{x0} {y0 + ROW} {x1} {y0} {x1} {y0 + ROW}" if x0 != x1 else "") + f"L{x1} {y1}"
    return tag("path", d=path, class_="edge")


def _row(node: Node, episode: Episode, lane: int, words: int, pruned: set[str], trained: bool) -> Iterator[Markup]:
    x, y = _place(node.id, lane)
    copy = node.copy_of is not None
    marks = f"k-{node.kind}" + " copy" * copy + " trained" * (trained and node.is_trainable)
    dot = tag("circle", cx=x, cy=y, r=5, class_=marks)
    told = tag("text", _words(node, episode, pruned, trained), x=words, y=y, class_="right" + " copy" * copy)
    yield tag("a", dot, told, href=f"#node-{node.id}")


def _words(node: Node, episode: Episode, pruned: set[str], trained: bool) -> str:
    if node.copy_of is not None:
        return f"#{node.id} {node.kind}: {again(node, episode.tree.nodes[node.copy_of])}"
    parts = ", ".join(part.id + " (pruned later)" * (part.id in pruned) for part in node.parts)
    said = f"#{node.id} {node.kind}, {len(node.tokens)} tokens" + (f", parts {parts}" if parts else "")
    return said + (", trained" if trained and node.is_trainable else "")
