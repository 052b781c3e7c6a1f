"""The tree, grown again node by node, is the tree that is stored: ids, parents, positions, provenance, parts."""

from collections.abc import Iterator

from trivium.episode import Draft, Node, Tree
from trivium.watch import Finding

from .episode import Lived

KIND = "tree"


def grown(lived: Lived) -> Iterator[Finding]:
    """The first node that cannot stand where it stands; what comes after it has no place to be checked in."""
    tree = Tree()
    for place, node in enumerate(lived.episode.tree.nodes):
        try:
            again = tree.add(_draft(node), node.parent)
        except ValueError as error:
            yield lived.finding(KIND, str(error), node=place)
            return
        if (again.id, again.end) != (node.id, node.end):
            text = f"node {place} says it is {node.id} and ends at {node.end}; it ends at {again.end}"
            yield lived.finding(KIND, text, node=place)
            return


def _draft(node: Node) -> Draft:
    fields = ("kind", "tokens", "lead", "parts", "sampled", "message", "copy_of")
    return Draft(**{name: getattr(node, name) for name in fields})
