"""What a generator of chains looked at, made and refused."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class ChainReport:
    """What the generator looked at, made and refused."""

    documents: int = 0
    linked: int = 0
    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """For people: what this corpus yields and why not more, and what to do where it has no links."""
        line = f"{self.made:,} tasks from {self.documents:,} documents, {self.linked:,} of which link to another"
        if self.refused:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in self.refused.most_common())
            line += f"; refused {self.refused.total():,} ({reasons})"
        if self.linked:
            return [line]
        return [line, "the corpus has no links: chains need them; judge it by its own questions (BEIR qrels) instead"]


def merged(reports: Sequence[ChainReport]) -> ChainReport:
    """Reports of several lengths of chains over one corpus as one."""
    whole = ChainReport(reports[0].documents, reports[0].linked)
    for report in reports:
        whole.made += report.made
        whole.refused += report.refused
    return whole
