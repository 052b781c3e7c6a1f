"""Contexts: what an action was conditioned on is all that came before it, in order, once.

    path of an action, copies read as their origins  =  every node before it but notices, then its own notice if any

Pruning takes parts out of nodes and never a node, so this holds for every edit that there is. A copy shows its origin:
the same tokens, or the same without whole parts.
"""

from collections.abc import Iterator

from trivium.episode import Draft, Kind, Node
from trivium.harness import prune
from trivium.watch import Finding

from .episode import Lived


def contexts(lived: Lived) -> Iterator[Finding]:
    """Every action's context."""
    so_far: list[int] = []
    for node in lived.episode.tree.nodes:
        if node.is_trainable:
            yield from _context(lived, node, so_far)
        if node.copy_of is None and node.kind is not Kind.NOTICE:
            so_far.append(node.id)
    for agent in lived.episode.agents.values():
        tip = [node for node in lived.episode.tree.path(agent.tip) if node.kind is Kind.NOTICE]
        for node in tip:
            yield lived.finding("notice", f"notice #{node.id} stands in the context that goes on", node=node.id)


def _context(lived: Lived, action: Node, before: list[int]) -> Iterator[Finding]:
    read = lived.read_by(action)
    if read and read[-1].kind is Kind.NOTICE and read[-1].copy_of is None:
        read = read[:-1]
    leaked = [node for node in read if node.kind is Kind.NOTICE]
    for node in leaked:
        yield lived.finding("notice", f"notice #{node.id} stands in the context of action #{action.id}", node=action.id)
    found = [node.origin for node in read if node.kind is not Kind.NOTICE]
    if found != before:
        text = f"action #{action.id} was conditioned on nodes {found}, and before it stood {before}"
        yield lived.finding("context", text, node=action.id)


def copies(lived: Lived) -> Iterator[Finding]:
    """Every copy against what it shows."""
    for node in lived.episode.tree.nodes:
        if node.copy_of is None:
            continue
        origin = lived.episode.tree.nodes[node.copy_of]
        gone = {part.id for part in origin.parts} - {part.id for part in node.parts}
        shown = prune(frozenset(gone))([origin])[0]
        for name in ("kind", "tokens", "parts", "message"):
            if getattr(node, name) != getattr(shown, name):
                text = f"node #{node.id} is a copy of #{origin.id} with other {name}"
                yield lived.finding("copy", text, node=node.id, token=_other(node, shown) if name == "tokens" else None)
                break
        else:
            if node.sampled != origin.sampled or node.lead != origin.lead:
                yield lived.finding(
                    "copy", f"node #{node.id} is a copy of #{origin.id} sampled otherwise", node=node.id
                )


def _other(node: Node, shown: Node | Draft) -> int | None:
    pairs = zip(node.tokens, shown.tokens, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), None)
