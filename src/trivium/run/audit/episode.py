"""One episode under audit: its nodes, its turns, and the sentence of a finding."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from trivium.episode import Episode, Node
from trivium.harness import shown_tools, spoken
from trivium.policy.parsing import Parsed
from trivium.watch import Finding

from .subject import Rules


@dataclass(frozen=True)
class Lived:
    """An episode of a step, and the rules it was lived under."""

    episode: Episode
    step: int
    rules: Rules

    @cached_property
    def actions(self) -> list[Node]:
        """What was sampled, in order: one a turn."""
        return self.episode.tree.actions()

    @cached_property
    def said(self) -> list[Parsed]:
        """What each action says."""
        parse = self.rules.renderer.parse
        return [parse(spoken(node), tools=shown_tools(self.read_by(node))) for node in self.actions]

    def read_by(self, node: Node) -> list[Node]:
        """The nodes that a node was conditioned on."""
        return self.episode.tree.path(node.parent)

    def turns(self) -> Iterator[tuple[Node, Parsed]]:
        """Actions with what they say."""
        return zip(self.actions, self.said, strict=True)

    def finding(self, kind: str, text: str, *, node: int | None = None, token: int | None = None) -> Finding:
        """A finding in this episode."""
        return Finding(kind=kind, text=text, step=self.step, episodes=(self.episode.id,), node=node, token=token)
