"""One search task, opened: prompt, tools, and the Context-1 reward.

All episodes share one `Search` (corpus and index); `SearchEnvironment` is one episode's view of it, under ids of its
group's presentation. Single use.
"""

from collections.abc import Sequence

from trivium.config import ShownConfig
from trivium.envs.plain import Plain
from trivium.episode import Episode, Reward, Task, Tool
from trivium.retrieval import Search
from trivium.reward import Context1Reward, SearchRecord, gold_kept, prune_accuracy

from .facts import answers, cited_chunks, cited_documents, document_of, gold, met, search_record
from .presentation import Presentation
from .prompts import Form, system
from .results import ResultWriter
from .tools import search_tools

CONTEXT1 = "context1"
"""The source of rewards that are given here."""

CITES = 30
"""Citations of an answer that count, the first ones."""


class SearchEnvironment(Plain):
    """An environment over a corpus and its index."""

    scores_at_once = True

    def __init__(
        self,
        task: Task,
        search: Search,
        seed: int,
        *,
        reward: Context1Reward,
        beta2: float,
        shown: ShownConfig,
        tools: Sequence[str] = ("search_corpus",),
        form: Form = "full",
        cites: int = CITES,
    ) -> None:
        self.task, self.search, self.cites = task, search, cites
        self.reward, self.beta2 = reward, beta2
        self.presentation = Presentation(search.corpus, seed)
        self.system = system(form, cites)
        self.tools: tuple[Tool, ...] = search_tools(ResultWriter(search, self.presentation, shown), tools, form)

    def prompt(self) -> str:
        """The question."""
        return self.task.prompt

    def score(self, episode: Episode) -> Sequence[Reward]:
        """Every term of the reward, the metrics beside it, and the total under ``reward``."""
        record = self.record(episode)
        searches = float(episode.counters.get("calls.search_corpus", 0))
        beside = [("searches", searches), ("turns", float(record.turns)), *self._pruning(episode, record)]
        return [*self.judge(record), *(Reward(term, value, CONTEXT1) for term, value in beside)]

    def judge(self, record: SearchRecord) -> list[Reward]:
        """The reward of what was done, term by term, with F1 beside it."""
        terms = self.reward.terms(gold(self.task), record, self.beta2)
        return [Reward(term, value, CONTEXT1) for term, value in terms.items()]

    def _pruning(self, episode: Episode, record: SearchRecord) -> list[tuple[str, float]]:
        """How well was pruned, against a random pruner at the same moments; nothing when nothing was pruned."""
        facts = gold(self.task)
        pruned, prunable = (self._documents(episode, key) for key in ("pruned", "prunable"))
        kept, accuracy = gold_kept(pruned, record.met, facts), prune_accuracy(pruned, facts.gold_ids)
        chance = prune_accuracy(prunable, facts.gold_ids)
        if accuracy is None or chance is None:
            return []
        measured = [("prune_accuracy", accuracy), ("prune_gain", accuracy - chance)]
        return measured if kept is None else [*measured, ("gold_kept", kept)]

    def record(self, episode: Episode) -> SearchRecord:
        """What the episode did, as the reward sees it."""
        return search_record(
            episode,
            met=met(episode, self.search.corpus),
            output=cited_documents(episode.answer, self.presentation, self.cites),
            answered=answers(self.task, cited_chunks(episode.answer, self.presentation, self.cites)),
        )

    def _documents(self, episode: Episode, key: str) -> list[str]:
        """Documents of the shown ids under `key` of the agent's state (see `harness.editing`), in order."""
        shown = episode.main.state.get(key, [])
        assert isinstance(shown, list)
        chunks = [self.presentation.chunk_id(str(item)) for item in shown]
        return [document_of(chunk, self.search.corpus) for chunk in chunks if chunk is not None]
