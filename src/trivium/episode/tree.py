"""The context tree of one episode: append-only, so an index is an identity for ever.

Always true: `nodes[i].id == i`; a parent stands before its children, an origin before its copies, and no copy is copied
again; nothing is removed or replaced. Several roots are allowed (a forest): a sub-agent begins a root of its own.
"""

from collections.abc import Iterator

import msgspec

from .message import Message
from .node import Kind, Node, NodeId, Part, Sampled


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A node that has no place yet: what `Context.append` takes and what an edit returns for changed nodes."""

    kind: Kind
    tokens: tuple[int, ...]
    lead: int = 0
    parts: tuple[Part, ...] = ()
    sampled: Sampled | None = None
    message: Message | None = None
    copy_of: NodeId | None = None


class Tree(msgspec.Struct):
    """All nodes of an episode, in the order in which they came to be."""

    nodes: list[Node] = []

    def add(self, draft: Draft, parent: NodeId | None) -> Node:
        """Place a draft under `parent` (None: a new root). Raises ValueError when an invariant would break."""
        self._check_place(draft, parent)
        _check(draft)
        before = 0 if parent is None else self.nodes[parent].end
        node = Node(
            id=len(self.nodes),
            parent=parent,
            kind=draft.kind,
            tokens=draft.tokens,
            end=before + len(draft.tokens),
            lead=draft.lead,
            parts=draft.parts,
            sampled=draft.sampled,
            message=draft.message,
            copy_of=draft.copy_of,
        )
        self.nodes.append(node)
        return node

    def _check_place(self, draft: Draft, parent: NodeId | None) -> None:
        if parent is not None and not 0 <= parent < len(self.nodes):
            raise ValueError(f"node {parent} is no parent: the tree has {len(self.nodes)} nodes")
        shown = draft.copy_of
        if shown is not None and not (0 <= shown < len(self.nodes) and self.nodes[shown].copy_of is None):
            raise ValueError(f"node {shown} cannot be copied: it is not in the tree, or is a copy itself")

    def path(self, tip: NodeId | None) -> list[Node]:
        """The nodes from the root to `tip`, in reading order (iterative: depth is no limit)."""
        path = list(self._up(tip))
        path.reverse()
        return path

    def _up(self, tip: NodeId | None) -> Iterator[Node]:
        while tip is not None:
            node = self.nodes[tip]
            yield node
            tip = node.parent

    def actions(self) -> list[Node]:
        """Every sampled action, once, in the order of sampling."""
        return [node for node in self.nodes if node.is_trainable]


def _check(draft: Draft) -> None:
    sampled = draft.sampled
    if (draft.kind is Kind.ACTION) != (sampled is not None):
        raise ValueError(f"a node of kind {draft.kind} {'lacks' if sampled is None else 'carries'} sampled provenance")
    if sampled is not None:
        own = len(draft.tokens) - draft.lead
        if not draft.lead >= 0 or not own == len(sampled.logprobs) == len(sampled.versions):
            raise ValueError(
                f"an action of {own} sampled tokens has {len(sampled.logprobs)} log-probs and "
                f"{len(sampled.versions)} weights ids: each token needs exactly one of both"
            )
    elif draft.lead:
        raise ValueError(f"a node of kind {draft.kind} has a lead of {draft.lead} tokens; only an action has one")
    edge = 0
    for part in draft.parts:
        if not edge <= part.start <= part.stop <= len(draft.tokens):
            raise ValueError(
                f"part {part.id} spans [{part.start}, {part.stop}) of {len(draft.tokens)} tokens, out of order"
            )
        edge = part.stop
