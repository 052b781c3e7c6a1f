"""Contexts: a path through the tree is exactly what the model is conditioned on.

Always true: a context is a value (a tree and the tip of a path); every operation returns a new one and leaves the old
one usable. An edited context is a fresh prompt: its positions are 0..n-1, and only the part before the first difference
is shared with the context it came from. What follows the edit is re-attached as copies, which are read and not trained.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from .node import Node, NodeId
from .tree import Draft, Tree

Edit: TypeAlias = Callable[[Sequence[Node]], Sequence[Node | Draft]]
"""A pure function from the nodes of a context to the nodes that stay (unchanged nodes are returned as they are)."""


class Context(msgspec.Struct, frozen=True):
    """The path of `tree` that ends in node `tip` (None: the empty context)."""

    tree: Tree
    tip: NodeId | None = None

    def __len__(self) -> int:
        """Number of tokens that the model reads."""
        return 0 if self.tip is None else self.tree.nodes[self.tip].end

    @property
    def nodes(self) -> list[Node]:
        """The nodes in reading order."""
        return self.tree.path(self.tip)

    @property
    def tokens(self) -> list[int]:
        """The token ids in reading order."""
        return [token for node in self.nodes for token in node.tokens]

    @property
    def last(self) -> Node | None:
        """The node at the tip."""
        return None if self.tip is None else self.tree.nodes[self.tip]

    def append(self, draft: Draft) -> "Context":
        """The context that reads one node more."""
        return Context(self.tree, self.tree.add(draft, self.tip).id)

    def reattach(self, node: Node) -> "Context":
        """The context that reads `node` again after this tip, as a copy."""
        return self.append(as_copy(node))

    def edit(self, fn: Edit) -> "Context":
        """The context that `fn` leaves; itself when nothing changed.

        Nodes up to the first difference are shared; every later one is added again, as a copy where it is unchanged.
        Raises ValueError when `fn` returns a new action: an edit writes nothing that could be trained.
        """
        old = self.nodes
        new = fn(old)
        same = _common_prefix(old, new)
        if same == len(old) == len(new):
            return self
        for item in new[same:]:
            if isinstance(item, Draft) and item.sampled is not None and item.copy_of is None:
                raise ValueError("an edit returned a new action; return the node itself, or a draft with copy_of")
        edited = Context(self.tree, old[same - 1].id if same else None)
        for item in new[same:]:
            edited = edited.reattach(item) if isinstance(item, Node) else edited.append(item)
        return edited

    def spawn(self, drafts: Sequence[Draft]) -> "Context":
        """The context of a sub-agent: a new root in the same tree."""
        child = Context(self.tree)
        for draft in drafts:
            child = child.append(draft)
        return child


def as_copy(node: Node) -> Draft:
    """A draft that shows `node` again: same tokens and provenance, marked as a copy of its origin."""
    return Draft(
        kind=node.kind,
        tokens=node.tokens,
        lead=node.lead,
        parts=node.parts,
        sampled=node.sampled,
        message=node.message,
        copy_of=node.origin,
    )


def _common_prefix(old: Sequence[Node], new: Sequence[Node | Draft]) -> int:
    count = 0
    for before, after in zip(old, new, strict=False):
        if before is not after:
            break
        count += 1
    return count
