"""From a recipe to libraries and sources: which documents train, which are held out, and the tasks over each.

Always true: the two sides share no document (but those of a judged data set, which share its one corpus, and say so);
which side a document is on, `documents.sides` says.
"""

from collections.abc import Callable
from dataclasses import dataclass

from trivium.config import EnvironmentConfig, RewardConfig
from trivium.envs.source import Source
from trivium.episode import ConfigError, Task
from trivium.retrieval import Corpus, ProgressCallback, Search, load_beir, load_folder, load_stdlib, split
from trivium.reward import Context1Reward, beta2

from .chain_report import ChainReport, merged
from .chains import ChainMaker, chain_settings
from .documents import brief, corpus_without_outside_links, sides
from .environment import SearchEnvironment
from .opening import open_search
from .qrels import qrel_tasks


@dataclass(frozen=True)
class Side:
    """One half of the world: a corpus with its index, and the tasks over it."""

    search: Search
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class SearchWorld:
    """Both sides of a search environment; `source` opens episodes over one of them."""

    config: EnvironmentConfig
    reward: RewardConfig
    train: Side
    held_out: Side
    notes: tuple[str, ...] = ()
    """What reading the corpus skipped, and what the generator refused."""

    def source(self, side: Side, name: str, epoch: int, epochs: int) -> Source:
        """The tasks of a side, rewarded as in `epoch` of `epochs`."""
        reward, own = make_reward(self.reward), self.config
        beta = beta2(epoch, epochs, start=self.reward.beta2_start, end=self.reward.beta2_end)

        def open_environment(task: Task, seed: int) -> SearchEnvironment:
            return SearchEnvironment(
                task, side.search, seed, reward=reward, beta2=beta, shown=own.shown, tools=own.tools, form=own.prompt
            )

        return Source(name, side.tasks, open_environment)


def make_reward(config: RewardConfig) -> Context1Reward:
    """The reward of a recipe."""
    return Context1Reward(
        f_weight=config.output,
        trajectory_weight=config.trajectory,
        answer_bonus=config.answer,
        eps=config.floor,
        malformed_cost=config.malformed,
        malformed_cap=config.malformed_cap,
        turn_free=config.turns_free,
        turn_full=2 * config.turns_free,
    )


def build_world(
    config: EnvironmentConfig,
    reward: RewardConfig,
    count: Callable[[str], int],
    progress: ProgressCallback | None = None,
) -> SearchWorld:
    """Read, chunk and index the corpus, then make the tasks. `count` counts the policy's tokens."""
    if config.tasks.kind == "qrels":
        return _judged(config, reward, count, progress)
    corpus = read_corpus(config, progress)
    notes = list(corpus.report.lines())
    kept = [brief(item, config.corpus.brief) for item in corpus.documents]
    training, held_out, twins = sides(kept, config.tasks.held_out_share)
    if twins:
        notes.append(f"held-out: {twins:,} documents left out, a training document has the same text")
    made = []
    for name, documents, wanted in (
        ("training", training, config.tasks.train),
        ("held-out", held_out, config.tasks.held_out),
    ):
        told = _told(progress, name)
        search = _indexed(corpus_without_outside_links(documents), config, count, told)
        side, report = _chains(search, config, wanted, told)
        notes += [f"{name}: {line}" for line in report.lines()]
        made.append(side)
    return SearchWorld(config, reward, made[0], made[1], tuple(notes))


def read_corpus(config: EnvironmentConfig, progress: ProgressCallback | None) -> Corpus:
    """The corpus of a recipe, whole. Raises DataError when there is none."""
    if config.corpus.kind == "python":
        return load_stdlib(progress=progress)
    assert config.corpus.path is not None
    if config.corpus.kind == "folder":
        return load_folder(config.corpus.path, progress)
    return load_beir(config.corpus.path, progress).corpus


def _indexed(
    corpus: Corpus, config: EnvironmentConfig, count: Callable[[str], int], progress: ProgressCallback | None
) -> Search:
    chunked = split(corpus, count, config.corpus.chunk_tokens, progress)
    return open_search(chunked, config.retrieval, progress)


def _told(progress: ProgressCallback | None, side: str) -> ProgressCallback | None:
    """The same progress, with the side in the name of every stage."""
    if progress is None:
        return None
    return lambda stage, done, total: progress(f"{side}: {stage}", done, total)


def _chains(
    search: Search, config: EnvironmentConfig, wanted: int, progress: ProgressCallback | None
) -> tuple[Side, ChainReport]:
    share = -(-wanted // len(config.tasks.hops))
    tasks: list[Task] = []
    reports = []
    for hops in config.tasks.hops:
        settings = chain_settings(config.tasks, hops=hops, shown=config.shown.hits)
        made, report = ChainMaker(search.corpus, search, settings).make(
            share, config.tasks.seed, f"{hops}-hop", progress
        )
        tasks += made
        reports.append(report)
    whole = merged(reports)
    if not tasks and wanted:
        raise ConfigError(f"no task could be made of this corpus: {'; '.join(whole.lines())}")
    return Side(search, tuple(tasks[:wanted])), whole


def _judged(
    config: EnvironmentConfig, reward: RewardConfig, count: Callable[[str], int], progress: ProgressCallback | None
) -> SearchWorld:
    """The corpus's own questions; the same documents serve both sides, so only questions are held out."""
    if config.corpus.kind != "beir" or config.corpus.path is None:
        raise ConfigError("tasks of kind qrels need a corpus of kind beir, with a path")
    data = load_beir(config.corpus.path, progress)
    search = _indexed(data.corpus, config, count, progress)
    tasks = qrel_tasks(data)
    cut = len(tasks) - min(config.tasks.held_out, int(len(tasks) * config.tasks.held_out_share))
    notes = [
        *data.corpus.report.lines(),
        "questions are held out; their documents are not (one corpus serves both sides)",
    ]
    return SearchWorld(config, reward, Side(search, tasks[:cut]), Side(search, tasks[cut:]), tuple(notes))
