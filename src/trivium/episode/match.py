"""Aligning a stateless request with what an episode holds already.

Always true: a message matches a node only when both say exactly the same (equal digests); the longest match wins, and
of equally long ones the newest; what did not match is left to be rendered after it, so a rewritten history branches.
A node without a message matches nothing.
"""

from collections.abc import Sequence

import msgspec

from .context import Context
from .message import Message
from .node import Node, NodeId
from .tree import Tree


class Matched(msgspec.Struct, frozen=True):
    """The context that read the first messages of a request, and the messages that it has not read."""

    context: Context
    rest: tuple[Message, ...]


def match(tree: Tree, messages: Sequence[Message]) -> Matched:
    """The context whose nodes say the longest prefix of `messages`: sampled ids in it are re-used as they are."""
    children: dict[NodeId | None, list[Node]] = {}
    for node in tree.nodes:
        children.setdefault(node.parent, []).append(node)
    tips: list[NodeId | None] = [None]
    for index, message in enumerate(messages):
        ahead: list[NodeId | None] = [node.id for tip in tips for node in children.get(tip, ()) if _says(node, message)]
        if not ahead:
            return Matched(Context(tree, _newest(tips)), tuple(messages[index:]))
        tips = ahead
    return Matched(Context(tree, _newest(tips)), ())


def _says(node: Node, message: Message) -> bool:
    said = node.message
    return said is not None and said == message and said.digest == message.digest


def _newest(tips: Sequence[NodeId | None]) -> NodeId | None:
    return max((tip for tip in tips if tip is not None), default=None)
