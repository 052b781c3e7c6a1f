"""Wording: a node's tokens are what its message says in the run's own chat format, and every id is in the vocabulary.

Actions have no message (they were sampled); their first tokens are the generation header. Observations of one turn are
rendered together, as the harness did.
"""

from collections.abc import Iterator, Sequence

from trivium.episode import Kind, Node
from trivium.harness import is_open, spoken
from trivium.policy.rendering import Rendered
from trivium.watch import Finding

from .episode import Lived


def wording(lived: Lived) -> Iterator[Finding]:
    """Every node that is no copy, against its message or the generation header."""
    nodes = lived.episode.tree.nodes
    for run in _runs(nodes):
        first = run[0]
        if first.kind is Kind.ACTION:
            if first.tokens[: first.lead] != lived.rules.renderer.lead():
                yield lived.finding("wording", f"action #{first.id} has no generation header", node=first.id, token=0)
        elif all(node.message is not None for node in run):
            for node, rendered in zip(run, _rendered(lived, run), strict=True):
                yield from _compared(lived, node, rendered)


def vocabulary(lived: Lived) -> Iterator[Finding]:
    """Every token id that the model does not know."""
    size = lived.rules.vocabulary
    for node in lived.episode.tree.nodes:
        for place, token in enumerate(node.tokens):
            if token < 0 or (size is not None and token >= size):
                text = f"node #{node.id} has token id {token}, and the model knows 0 to {(size or 0) - 1}"
                yield lived.finding("vocabulary", text, node=node.id, token=place)


def _runs(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """Nodes that are no copies, one by one, but the observations of a turn together."""
    run: list[Node] = []
    for node in nodes:
        follows = run and node.kind is run[-1].kind is Kind.OBSERVATION and node.parent == run[-1].id
        if run and not (follows and node.copy_of is None):
            yield run
            run = []
        if node.copy_of is None:
            run.append(node)
    if run:
        yield run


def _rendered(lived: Lived, run: list[Node]) -> Sequence[Rendered]:
    renderer, first = lived.rules.renderer, run[0]
    messages = [node.message for node in run if node.message is not None]
    if first.kind is Kind.SYSTEM:
        return [renderer.opening(messages)]
    before = None if first.parent is None else lived.episode.tree.nodes[first.parent]
    if first.kind is Kind.OBSERVATION:
        return renderer.messages(messages, closes=is_open(before), after=spoken(before))
    return [renderer.message(messages[0], closes=is_open(before), after=spoken(before))]


def _compared(lived: Lived, node: Node, rendered: Rendered) -> Iterator[Finding]:
    if node.tokens == rendered.tokens and node.parts == rendered.parts:
        return
    pairs = enumerate(zip(node.tokens, rendered.tokens, strict=False))
    place = next((place for place, (one, other) in pairs if one != other), None)
    if place is None:
        text = f"{node.kind} #{node.id} has {len(node.tokens)} tokens, its message gives {len(rendered.tokens)}"
    else:
        text = f"{node.kind} #{node.id} has id {node.tokens[place]}, its message gives {rendered.tokens[place]}"
    yield lived.finding("wording", text, node=node.id, token=place)
