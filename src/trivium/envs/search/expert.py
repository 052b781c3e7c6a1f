"""Scripted experts for chains: they know the gold, act through the same tools, and set the ceiling and the SFT mix.

An expert of full skill searches the clues, follows each name it has seen, prunes what is not gold (beside its next
search) when the window is over its soft limit, and cites the gold it met. The two flaws leave headroom for RL and are
drawn per episode:

    stops early     cites after its first search
    prunes badly    prunes a random half of what it sees, gold or not
"""

import random
from collections.abc import Sequence

import msgspec

from trivium.episode import Agent, Episode, Part, ToolCall
from trivium.harness import PRUNE, Budget

from .facts import document_of, gold
from .presentation import Presentation
from .tools import seen


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What one expert does wrong."""

    stops_early: bool = False
    prunes_badly: bool = False
    prunes: bool = True
    """Whether the tool is there."""

    @classmethod
    def draw(cls, rng: random.Random, stops_early: float, prunes_badly: float, prunes: bool = True) -> "Skill":
        """A skill in which each flaw has its share."""
        return cls(stops_early=rng.random() < stops_early, prunes_badly=rng.random() < prunes_badly, prunes=prunes)


class Expert:
    """Decides one episode; `act` gives the calls of the next turn, or the ids to cite."""

    def __init__(self, presentation: Presentation, budget: Budget, skill: Skill, seed: int) -> None:
        self.presentation, self.budget, self.skill = presentation, budget, skill
        self.rng = random.Random(seed)

    def act(self, episode: Episode, agent: Agent) -> list[ToolCall] | list[str]:
        """Tool calls, or the shown ids of the answer."""
        visible = [part for node in episode.context(agent).nodes for part in node.parts]
        query = self._next_query(episode, visible)
        last_turn = agent.turns >= self.budget.turns - 1
        if query is None or last_turn or (self.skill.stops_early and seen(episode)):
            return self._answer(episode, visible)
        used = len(episode.context(agent))
        search = ToolCall("search_corpus", {"query": query})
        useless = self._useless(episode, visible) if used > self.budget.soft and self.skill.prunes else []
        if useless:
            return [ToolCall(PRUNE.name, {"chunk_ids": [*useless]}), search]
        return self._answer(episode, visible) if used > self.budget.hard else [search]

    def _next_query(self, episode: Episode, visible: Sequence[Part]) -> str | None:
        """The first hop that was not met decides: its name when the chunk before it was met, else the clues again."""
        facts = gold(episode.task).gold
        queries = _texts(episode, "queries")
        met = {self._document(part) for part in visible} | {self._by_chunk(chunk) for chunk in seen(episode)}
        asked = episode.counters.get("calls.search_corpus", 0)
        for hop, (fact, query) in enumerate(zip(facts, queries, strict=False)):
            if not fact & met:
                return self._vary(query, asked - hop) if asked < hop + 3 else None
        return None

    def _vary(self, query: str, tries: int) -> str:
        words = query.split()
        if tries <= 0 or len(words) < 3:
            return query
        kept = sorted(self.rng.sample(range(len(words)), max(2, len(words) - tries)))
        return " ".join(words[index] for index in kept)

    def _useless(self, episode: Episode, visible: Sequence[Part]) -> list[str]:
        if self.skill.prunes_badly:
            return [part.id for part in visible if self.rng.random() < 0.5]
        golden = gold(episode.task).gold_ids
        return [part.id for part in visible if self._document(part) not in golden]

    def _answer(self, episode: Episode, visible: Sequence[Part]) -> list[str]:
        golden = gold(episode.task).gold_ids
        cited = [part.id for part in visible if self._document(part) in golden]
        return cited or [part.id for part in visible[:1]]

    def _document(self, part: Part) -> str:
        return self._by_chunk(part.source or "")

    def _by_chunk(self, chunk_id: str) -> str:
        return document_of(chunk_id, self.presentation.corpus)


def citation(shown: Sequence[str]) -> str:
    """An answer that cites these ids, best first."""
    return "\n".join(f"<Document id={item}></Document>" for item in shown)


def _texts(episode: Episode, key: str) -> list[str]:
    values = episode.task.data.get(key, [])
    assert isinstance(values, list)
    return [str(value) for value in values]
