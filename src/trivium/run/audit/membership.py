"""Membership: an episode is in one batch, once, or was dropped with a reason, and both are in the store.

across(steps)  over the whole ledger: in two batches, or trained and dropped
within(step)   one step: what is named and not stored, what ended and was neither trained nor dropped, life and row
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from trivium.episode import Episode, Failed, Life, Scored
from trivium.store import RunStore, ordinal
from trivium.watch import Finding

from .subject import StepRecord

KIND = "membership"


def across(store: RunStore) -> Iterator[Finding]:
    """Episodes that the ledger names more than once, in whatever steps."""
    named: dict[str, list[int]] = {}
    for commit in store.ledger.commits():
        for name in (
            *(member.episode for member in store.ledger.members(commit.step)),
            *store.ledger.dropped(commit.step),
        ):
            named.setdefault(name, []).append(commit.step)
    for name, steps in named.items():
        if len(steps) > 1:
            told = ", ".join(str(ordinal(step)) for step in steps)
            text = f"episode {name} is trained or dropped {len(steps)} times (steps {told}); an episode is used once"
            yield Finding(kind=KIND, text=text, step=steps[-1], episodes=(name,))


def within(step: StepRecord) -> Iterator[Finding]:
    """One step, member by member and episode by episode."""
    members = Counter(member.episode for member in step.members)
    for name in (*members, *step.dropped):
        if name not in step.episodes:
            yield step.finding(KIND, f"the ledger names episode {name}, and step {step.ordinal} stored none", name)
    valid = {episode.id for episode in step.valid}
    for episode in step.episodes.values():
        used = members[episode.id] + (episode.id in step.dropped)
        if episode.id in valid and not used:
            yield step.finding(KIND, f"episode {episode.id} ended and is neither trained nor dropped", episode.id)
        if episode.id not in valid and used:
            yield step.finding(KIND, f"episode {episode.id} has no reward and is in the ledger", episode.id)
        if (episode.life is Life.TRAINED) != bool(members[episode.id]):
            is_member = "is" if members[episode.id] else "is not"
            yield step.finding(KIND, f"episode {episode.id} is {episode.life} and {is_member} a member", episode.id)
        yield from _row(step, episode)


def _row(step: StepRecord, episode: Episode) -> Iterator[Finding]:
    """The table's columns are those of the record."""
    row = step.rows[episode.id]
    for name, value in _columns(episode).items():
        if getattr(row, name) != value:
            text = f"the table says {name} {getattr(row, name)!r} of episode {episode.id}, its record {value!r}"
            yield step.finding("record", text, episode.id)


def _columns(episode: Episode) -> Mapping[str, object]:
    outcome = episode.outcome
    return {
        "group": episode.group,
        "task": episode.task.id,
        "family": episode.task.family,
        "seed": str(episode.seed),
        "outcome": None if outcome is None else type(outcome).__name__.lower(),
        "reward": outcome.reward if isinstance(outcome, Scored | Failed) else None,
    }
