"""The words of a node: parts apart, pruned ones struck through, and each sampled token shaded by its log-prob.

The deeper the shade, the less likely the token was: opacity 1 - exp(log-prob).
"""

import math
from collections.abc import Iterator, Sequence

from trivium.episode import Episode, Kind, Node

from .markup import Markup, joined, tag
from .reading import Decode, again, node_head, spans

BYTES = 4
"""Tokens that one character of UTF-8 may be spread over at most."""


def node_block(node: Node, episode: Episode, decode: Decode, pruned: set[str], trained: bool) -> Markup:
    """A node under its head; a copy tells only what left it, and the system prompt is folded."""
    name = f"node-{node.id}"
    if node.copy_of is not None:
        told = f"{node_head(node)}: {again(node, episode.tree.nodes[node.copy_of])}"
        return tag("p", told, id=name, class_="copy")
    marked = trained and node.is_trainable
    mark = [tag("span", "trained", class_="badge")] if marked else []
    head = tag("summary", tag("span", class_=f"dot k-{node.kind}"), node_head(node), *mark)
    words = tag("pre", *(_sampled(node, decode) if node.sampled else _parts(node, decode, pruned)))
    opened = None if node.kind is Kind.SYSTEM else "open"
    return tag("details", head, words, id=name, open=opened, class_="node" + " trained" * marked)


def _parts(node: Node, decode: Decode, pruned: set[str]) -> Iterator[Markup]:
    for words, part in spans(node, decode):
        if part is None:
            yield joined(words)
        elif part in pruned:
            yield tag("span", tag("b", f"[{part}, pruned later] "), tag("s", words), class_="part leaves")
        else:
            yield tag("span", tag("b", f"[{part}] "), words, class_="part")


def _sampled(node: Node, decode: Decode) -> Iterator[Markup]:
    """The lead as it was written; then the sampled tokens, those that share a character together."""
    assert node.sampled is not None
    yield tag("span", decode(node.tokens[: node.lead]), class_="lead")
    logprobs = node.sampled.logprobs
    for start, stop, words in letters(node.tokens[node.lead :], decode):
        told = ", ".join(f"{value:.3f}" for value in logprobs[start:stop])
        shade = 1 - math.exp(min(0.0, min(logprobs[start:stop])))
        yield tag("span", words, class_="token", style=f"--shade:{shade:.2f}", title=f"log-prob {told}")


def letters(tokens: Sequence[int], decode: Decode) -> Iterator[tuple[int, int, str]]:
    """The shortest stretches [start, stop) of tokens that are whole characters, with their words."""
    start = 0
    for stop in range(1, len(tokens) + 1):
        words = decode(tokens[start:stop])
        if words.endswith("\ufffd") and stop - start < BYTES and stop < len(tokens):
            continue
        yield start, stop, words
        start = stop
