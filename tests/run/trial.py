"""A run that is killed and resumed until it ends, compared with one that nobody killed.

What no kill may change is counted after every life: the episodes that the store acknowledged, the members of every
step, the task and seed of every group and episode.
"""

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from trivium.learn.checkpoint import RECORD, Record
from trivium.store import RunStore

from .lives import Life, Moment, Nurse
from .small import GROUP_SIZE, GROUPS

Row = tuple[str, str, str, int]


@dataclass(frozen=True)
class Facts:
    """What a run folder holds."""

    rows: set[Row]
    """Finished episodes: id, group, task, seed."""
    members: dict[int, list[str]]
    dropped: dict[int, list[str]]

    @property
    def ids(self) -> set[str]:
        return {row[0] for row in self.rows}

    @property
    def used(self) -> list[str]:
        """Episodes that a step trained or dropped."""
        return [name for batch in (*self.members.values(), *self.dropped.values()) for name in batch]


NOTHING = Facts(set(), {}, {})


def facts(run: Path) -> Facts:
    if not (run / "run.db").exists():
        return NOTHING
    with RunStore(run, readonly=True) as store:
        steps = [commit.step for commit in store.ledger.commits()]
        return Facts(
            {(e.id, e.group, e.task.id, e.seed) for e in store.episodes.find()},
            {step: [member.episode for member in store.ledger.members(step)] for step in steps},
            {step: sorted(store.ledger.dropped(step)) for step in steps},
        )


def learned(run: Path) -> tuple[int, int]:
    """Batches and updates that the weights of the last commit have seen."""
    with RunStore(run, readonly=True) as store:
        commit = store.ledger.latest()
    assert commit is not None
    record = msgspec.json.decode((run / commit.checkpoint / RECORD).read_bytes(), type=Record)
    return record.batches, record.updates


def drafts(run: Path, committed: Iterable[int]) -> tuple[bool, bool]:
    """Is there a checkpoint half written, and one that is whole but in no ledger?"""
    names = {path.name for path in (run / "checkpoints").glob("step-*")}
    half = {name for name in names if name.endswith(".partial")}
    return bool(half), bool(names - half - {f"step-{step:06d}" for step in committed})


@dataclass
class Tally:
    """What is counted over all lives of a run."""

    landed: Counter[str] = field(default_factory=Counter)
    """Kills, by the mark at which the run was."""
    split: int = 0
    """Kills that left some episodes of a step finished and others not."""
    half: int = 0
    """Kills that left a checkpoint half written."""
    uncommitted: int = 0
    """Kills that left a whole checkpoint in no ledger."""
    lost: set[str] = field(default_factory=set)
    redone: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)
    """Steps whose members are not those of the whole run."""
    seeds: set[tuple[object, ...]] = field(default_factory=set)
    """Episodes and groups that the whole run has not, or not with this task and seed."""
    drifted: int = 0
    """Lives after which the committed weights had seen a batch twice, or never."""
    shifted: int = 0
    """Lives that did not begin at the first step that is not committed."""

    @property
    def damage(self) -> list[object]:
        """Whatever no kill may do, where one did it."""
        found = (self.lost, self.redone, self.twice, self.drifted, self.steps, self.seeds, self.shifted)
        return [one for one in found if one]

    def __str__(self) -> str:
        where = ", ".join(f"{count} in {mark}" for mark, count in sorted(self.landed.items()))
        return (
            f"{self.landed.total()} kills ({where}); {self.split} with a step half rolled out, {self.half} with half "
            f"a checkpoint, {self.uncommitted} between checkpoint and ledger; finished episodes lost: "
            f"{len(self.lost)}, rolled out again: {len(self.redone)}, trained twice: {len(self.twice)}; "
            f"weights that saw a batch twice or never: {self.drifted}; steps with other members: {len(self.steps)}; "
            f"episodes and groups with another task or seed: {len(self.seeds)}; resumed at another step: {self.shifted}"
        )


@dataclass
class Whole:
    """The run that nobody kills."""

    run: Path
    life: Life
    facts: Facts


@dataclass
class Trial:
    """The run that is killed; after its end it is begun again."""

    nurse: Nurse
    whole: Whole
    run: Path
    tally: Tally = field(default_factory=Tally)
    known: set[str] = field(default_factory=set)
    now: Facts = NOTHING
    ended: bool = False

    def live(self, until: Moment | None = None) -> str:
        """Live until a moment; returns the mark at which the kill fell, '' when the run ended by itself."""
        if self.ended:
            shutil.rmtree(self.run)
            self.known, self.now = set(), NOTHING
        committed = len(self.now.members)
        life = self.nurse.live(self.run, until)
        self.now, self.ended = facts(self.run), life.ended
        self._compare(life, committed)
        if life.ended:
            self._require_equal()
            return ""
        return self._count(life.mark)

    def finish(self) -> None:
        """Live to the end."""
        if not self.ended:
            self.live()

    def _compare(self, life: Life, committed: int) -> None:
        now, tally = self.now, self.tally
        tally.redone |= self.known & set(life.stored)
        self.known |= set(life.stored)
        tally.lost |= self.known - now.ids
        self.known |= now.ids
        tally.twice |= {name for name, count in Counter(now.used).items() if count > 1}
        tally.steps |= {step for step, names in now.members.items() if names != self.whole.facts.members[step]}
        tally.seeds |= (now.rows - self.whole.facts.rows) | (set(life.planned) - set(self.whole.life.planned))
        tally.drifted += bool(now.members) and learned(self.run)[0] != sum(map(bool, now.members.values()))
        tally.shifted += life.planned != self.whole.life.planned[GROUPS * committed :][: len(life.planned)]

    def _count(self, mark: str) -> str:
        """Count a kill; returns where it fell, as the disk knows it."""
        now, tally = self.now, self.tally
        half, uncommitted = drafts(self.run, now.members)
        if mark == "named" and not uncommitted:
            mark = "flush"  # the ledger had it already, and the run died before it could tell
        tally.landed[mark] += 1
        tally.split += mark == "rollout" and 0 < len(now.ids - set(now.used)) < GROUPS * GROUP_SIZE
        tally.half += mark == "write" and half
        tally.uncommitted += mark == "named"
        return mark

    def _require_equal(self) -> None:
        """The plan of the whole run, and weights after as many updates."""
        assert self.tally.damage == [], str(self.tally)
        assert self.now == self.whole.facts, f"it ended with other episodes or steps: {self.tally}"
        assert learned(self.run) == learned(self.whole.run), f"its weights had other updates: {self.tally}"
