"""The findings of a run: events of the kind ``finding``, written with the commit of their step."""

from collections.abc import Sequence

import msgspec

from trivium.episode import TriviumError
from trivium.store import Note, RunStore
from trivium.watch import Finding

KIND = "finding"


class PausedError(TriviumError):
    """Training paused at a finding; the run goes on when it is resumed."""


def as_notes(findings: Sequence[Finding]) -> list[Note]:
    """Findings as events to come."""
    return [Note(KIND, f"{found.kind}: {found.text}", msgspec.to_builtins(found)) for found in findings]


def findings(store: RunStore) -> list[Finding]:
    """What the detectors found in a run, in order."""
    return [msgspec.convert(event.data, Finding) for event in store.journal.events(KIND)]
