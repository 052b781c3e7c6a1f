"""What was learned from: the batch of a step, made again from the stored episodes, is the one that the ledger holds.

Advantages come out of the stored rewards again; the rows of every member have the digest of those that the learner
read (so tokens, masks, log-probs, temperatures and positions are what they were); every count of the step (tokens
trained, tokens skipped by reason, groups dropped) is counted again.
"""

from collections.abc import Iterator

from trivium.episode import TriviumError
from trivium.learn import Batch, Share, digest
from trivium.run.scheduler import step_batch
from trivium.store import Member
from trivium.watch import Finding

from .subject import Rules, StepRecord

CLOSE = 1e-9
"""Advantages are differences of float64 rewards; they are equal but for the order of a sum."""


def batch_again(step: StepRecord, rules: Rules) -> Batch | Finding:
    """The batch of a step, or why it cannot be made."""
    try:
        return step_batch(rules.recipe, step.valid, step.number)
    except (TriviumError, ValueError, IndexError) as error:
        return step.finding("rows", f"the batch of step {step.number + 1} cannot be cut again: {error}")


def learned(step: StepRecord, again: Batch) -> Iterator[Finding]:
    """The ledger of a step against its batch, made again."""
    shares = {share.episode: share for share in again.shares}
    members = {member.episode: member for member in step.members}
    for name in shares.keys() - members.keys():
        yield step.finding("membership", f"episode {name} has an advantage and is no member of its batch", name)
    for name in (members.keys() - shares.keys()) & step.episodes.keys():
        yield step.finding("membership", f"episode {name} is a member, and its group is not to be trained", name)
    for name in members.keys() & shares.keys():
        yield from _member(step, members[name], shares[name])
    yield from _counts(step, again)


def _member(step: StepRecord, member: Member, share: Share) -> Iterator[Finding]:
    if not abs(member.advantage - share.advantage) <= CLOSE * max(1.0, abs(share.advantage)):
        text = f"episode {member.episode} was trained at advantage {member.advantage:.6g}, its group's rewards give "
        yield step.finding("advantage", f"{text}{share.advantage:.6g}", member.episode)
    found = digest(share.segments)
    if member.rows and member.rows != found:
        text = f"the rows of episode {member.episode} are not those that were trained"
        yield step.finding("rows", f"{text} (digest {found}, trained {member.rows})", member.episode)


def _counts(step: StepRecord, again: Batch) -> Iterator[Finding]:
    """Every `batch.*` metric, counted again."""
    known = {name.removeprefix("batch."): v for name, v in step.metrics.items() if name.startswith("batch.")}
    for name in known.keys() & again.counts.keys():
        if known[name] != again.counts[name]:
            text = f"step {step.number + 1} counted {known[name]:g} {name}, its episodes give {again.counts[name]}"
            yield step.finding("count", text)
