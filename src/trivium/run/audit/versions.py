"""Versions: every token was sampled under weights of this run's own chain, and not under too old ones.

chain: start -> after step 1 -> after step 2 -> ...        staleness of a token at step s = s - place in the chain
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trivium.run.members import weights_of
from trivium.store import Commit
from trivium.watch import Finding

from .episode import Lived
from .subject import StepRecord

STALENESS = 0
"""Steps by which rollouts may run ahead of the learner: none, so every token is on-policy."""


@dataclass(frozen=True)
class Chain:
    """The weights of a run in order: `ids[k]` sampled step k when nothing is stale; None: the start is not known."""

    ids: tuple[str | None, ...]

    @classmethod
    def of(cls, commits: Sequence[Commit], start: str | None) -> "Chain":
        """The chain of a ledger; `start` are the recipe's weights, for runs that kept no parent."""
        first = commits[0].parent if commits and commits[0].parent else start
        return cls((first, *(commit.weights for commit in commits)))

    def place(self, weights: str, step: int) -> int | None:
        """The newest place of these weights up to `step`; of older ones where they came later or never: None."""
        known = [place for place in range(min(step + 1, len(self.ids))) if self.ids[place] in (weights, None)]
        return known[-1] if known else None


def linked(commits: Sequence[Commit]) -> Iterator[Finding]:
    """Each step goes on from the one before."""
    for number, commit in enumerate(commits):
        before = commits[number - 1].weights if number else commit.parent
        if commit.parent is not None and commit.parent != before:
            text = f"step {commit.steps_done} went on from weights {commit.parent}, the step before it left {before}"
            yield Finding(kind="version", text=text, step=commit.step)
        if commit.step != number:
            yield Finding(kind="version", text=f"step {commit.steps_done} follows step {number}", step=commit.step)


def versions(lived: Lived, chain: Chain) -> Iterator[Finding]:
    """The weights of every token of an episode."""
    for node in lived.actions:
        assert node.sampled is not None
        at = node.lead
        if node.sampled.versions.not_recomputable and not STALENESS:
            text = f"action #{node.id} has tokens marked as read over keys of older weights, and none may be stale"
            yield lived.finding("version", text, node=node.id, token=at)
        for weights, count in zip(node.sampled.versions.ids, node.sampled.versions.counts, strict=True):
            place = chain.place(weights, lived.step)
            if place is None:
                text = f"action #{node.id} names weights {weights}, which this run had not made by then"
                yield lived.finding("version", text, node=node.id, token=at)
            elif lived.step - place > STALENESS:
                text = f"action #{node.id} was sampled {lived.step - place} steps ago, {STALENESS} are allowed"
                yield lived.finding("version", text, node=node.id, token=at)
            at += count


def listed(step: StepRecord) -> Iterator[Finding]:
    """The ledger's list of weights is that of the episode."""
    for member in step.members:
        episode = step.episodes.get(member.episode)
        if episode is not None and set(weights_of(episode)) != set(member.weights):
            text = f"the ledger lists weights {', '.join(member.weights)} for episode {episode.id}, its tokens others"
            yield step.finding("version", text, episode.id)
