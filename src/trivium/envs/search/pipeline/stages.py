"""The stages: explore, chain up to the wanted hops, verify after each, distract, verify again.

Always true: a number has one fate, written before the next block of numbers begins; the items are the first accepted
ones in the order of numbers, however many were made side by side. What was refused is counted by stage and reason.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field

import msgspec

from trivium.retrieval import Search

from .author import Author, Refused
from .distract import distractors
from .item import Item
from .ledger import Ledger, Line
from .verify import Verifier

Attempt = Callable[[str | None], Awaitable[Item | Refused]]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How many items, of which lengths (in turn), with how many distractors; `tries` numbers at most for each item."""

    count: int
    hops: tuple[int, ...] = (2,)
    distractors: int = 8
    side_by_side: int = 1
    numbers: int = 0
    """Numbers that are tried at most."""


@dataclass
class Report:
    """What was tried, made and refused."""

    tried: int = 0
    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    """Documents that were no distractors, in this sitting."""

    def lines(self) -> list[str]:
        """For people."""
        told = [f"{self.made:,} tasks from {self.tried:,} tries; refused {self.refused.total():,}"]
        return [*told, *(f"  {reason}: {count:,}" for reason, count in (self.refused + self.passed_over).most_common())]


async def make_items(
    settings: Settings,
    author: Author,
    verifier: Verifier,
    search: Search,
    ledger: Ledger,
    tick: Callable[[], None] = lambda: None,
) -> tuple[list[Item], Report]:
    """Up to `settings.count` verified items; goes on where the ledger stands. Raises what the author raises."""
    report = Report()

    async def one(number: int) -> None:
        if number not in ledger.lines:
            ledger.put(await _fate(number, settings, author, verifier, search, report))
            tick()

    for start in range(0, settings.numbers, settings.side_by_side):
        if len(_accepted(ledger, start)) >= settings.count:
            break
        block = range(start, min(start + settings.side_by_side, settings.numbers))
        await _side_by_side([one(number) for number in block])
    items = _accepted(ledger, settings.numbers)[: settings.count]
    report.tried, report.made = len(ledger.lines), len(items)
    report.refused.update(line.refused for line in ledger.lines.values() if line.refused)
    return items, report


async def _side_by_side(work: Sequence[Coroutine[None, None, None]]) -> None:
    """All of it; the first that fails ends the others, and is what is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed


def _accepted(ledger: Ledger, below: int) -> list[Item]:
    """Items of distinct questions, in the order of numbers."""
    lines: Sequence[Line] = [ledger.lines[number] for number in sorted(ledger.lines) if number < below]
    items: dict[str, Item] = {}
    for line in lines:
        if line.accepted and line.item is not None:
            items.setdefault(line.item.question, line.item)
    return list(items.values())


async def _fate(
    number: int, settings: Settings, author: Author, verifier: Verifier, search: Search, report: Report
) -> Line:
    """Everything that happens to one number."""
    made = await _tried("explore", author, verifier, lambda told: author.explore(number, told))
    while isinstance(made, Item) and len(made.hops) < settings.hops[number % len(settings.hops)]:
        made = await _longer(author, verifier, made)
    if isinstance(made, Refused):
        return Line(number, made.item, made.reason)
    chosen = await distractors(made, search, verifier, settings.distractors, author.suits, report.passed_over)
    whole = msgspec.structs.replace(made, distractors=chosen)
    reason = verifier.reason(whole)
    return Line(number, whole, f"distract: {reason}" if reason else "")


async def _longer(author: Author, verifier: Verifier, item: Item) -> Item | Refused:
    return await _tried("chain", author, verifier, lambda told: author.chain(item, told))


async def _tried(stage: str, author: Author, verifier: Verifier, attempt: Attempt) -> Item | Refused:
    """An item that passes, within the author's tries; else the last reason, under the stage's name."""
    told: str | None = None
    last: Item | None = None
    for _ in range(author.tries):
        made = await attempt(told)
        if isinstance(made, Refused):
            told = made.reason
            continue
        last, told = made, verifier.reason(made)
        if told is None:
            return made
    return Refused(f"{stage}: {told}", last)
