"""What was learned from: the batch of a step, made again from the stored episodes, is the one that the ledger holds.

Advantages come out of the stored rewards again; the rows of every member have the digest of those that the learner
read (so tokens, masks, log-probs, temperatures and positions are what they were); every count of the step (tokens
trained, tokens skipped by reason, groups dropped, groups that stayed short, invalid attempts) is counted again.
"""

from collections.abc import Iterator, Mapping

from trivium.episode import Invalid
from trivium.learn import Batch, Share, digest
from trivium.run.batching import whole
from trivium.store import Member
from trivium.watch import Finding

from .subject import StepRecord

CLOSE = 1e-9
"""Advantages are differences of float64 rewards; they are equal but for the order of a sum."""


def learned(step: StepRecord, again: Batch, size: int) -> Iterator[Finding]:
    """The ledger of a step against its batch, made again; `size` is that of a whole group."""
    shares = {share.episode: share for share in again.shares}
    members = {member.episode: member for member in step.members}
    for name in shares.keys() - members.keys():
        yield step.finding("membership", f"episode {name} has an advantage and is no member of its batch", name)
    for name in (members.keys() - shares.keys()) & step.episodes.keys():
        yield step.finding("membership", f"episode {name} is a member, and its group is not to be trained", name)
    for name in members.keys() & shares.keys():
        yield from _member(step, members[name], shares[name])
    invalid = sum(isinstance(episode.outcome, Invalid) for episode in step.episodes.values())
    yield from _counts(step, {**again.counts, "groups short": _short(step, size), "attempts invalid": invalid})


def _member(step: StepRecord, member: Member, share: Share) -> Iterator[Finding]:
    if not abs(member.advantage - share.advantage) <= CLOSE * max(1.0, abs(share.advantage)):
        text = f"episode {member.episode} was trained at advantage {member.advantage:.6g}, the rewards give "
        yield step.finding("advantage", f"{text}{share.advantage:.6g}", member.episode)
    found = digest(share.segments)
    if member.rows and member.rows != found:
        text = f"the rows of episode {member.episode} are not those that were trained"
        yield step.finding("rows", f"{text} (digest {found}, trained {member.rows})", member.episode)


def _short(step: StepRecord, size: int) -> int:
    """Groups that lack a valid episode."""
    return len({e.group for e in step.episodes.values()} - {e.group for e in whole(step.valid, size)})


def _counts(step: StepRecord, again: Mapping[str, int]) -> Iterator[Finding]:
    """Every `batch.*` metric, counted again."""
    known = {name.removeprefix("batch."): v for name, v in step.metrics.items() if name.startswith("batch.")}
    for name in known.keys() & again.keys():
        if known[name] != again[name]:
            text = f"step {step.ordinal} counted {known[name]:g} {name}, its episodes give {again[name]}"
            yield step.finding("count", text)
