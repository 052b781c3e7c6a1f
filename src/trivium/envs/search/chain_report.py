"""What a generator of chains looked at, made and refused."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class ChainReport:
    """What the generator looked at, made and refused."""

    documents: int = 0
    linked: int = 0
    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """For people: what this corpus yields, and why not more."""
        lines = [f"{self.made} tasks from {self.documents} documents, {self.linked} of which link to another"]
        if not self.linked:
            lines.append(
                "the corpus has no links: chains need them; judge it by its own questions (BEIR qrels) instead"
            )
        return lines + [f"refused {count}: {reason}" for reason, count in self.refused.most_common()]
