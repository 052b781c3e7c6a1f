"""Yardsticks beside a trained policy: the scripted ceiling, and BM25 with one query."""

from collections.abc import Callable

from trivium.config import Recipe
from trivium.envs import Source
from trivium.envs.search import SearchEnvironment, answers, gold
from trivium.episode import Episode
from trivium.reward import SearchRecord

from .evaluate import EVAL_SEED, Arm, arm_of, presentation_seed
from .experts import Recorder, perfect
from .opened_policy import OpenedPolicy


async def ceiling(
    source: Source, opened: OpenedPolicy, *, prunes: bool = True, tick: Callable[[], None] = lambda: None
) -> Arm:
    """A scripted expert without flaws, which knows the gold, on the tasks of `source`, one episode each."""
    name = "ceiling" if prunes else "ceiling without prune"
    recorder = Recorder(
        source,
        opened.renderer,
        opened.strategy,
        perfect(prunes),
        EVAL_SEED,
        presentation=presentation_seed,
        redraws=opened.recipe.schedule.redraws,
        tick=tick,
    )
    return arm_of(name, source.tasks, await recorder.record(source.tasks))


def bm25_once(source: Source, recipe: Recipe) -> Arm:
    """One BM25 query, the question itself; cites as many of its first hits as the task has facts."""
    episodes = [[_one_query(source, index, recipe)] for index in range(len(source.tasks))]
    return arm_of("bm25", source.tasks, episodes)


def _one_query(source: Source, index: int, recipe: Recipe) -> Episode:
    task = source.tasks[index]
    environment = source.open(task, presentation_seed(index))
    assert isinstance(environment, SearchEnvironment)
    corpus = environment.search.corpus
    rows = environment.search.lexical.top(task.prompt, recipe.environment.shown.hits, [])
    chunks = [corpus.chunks[row] for row in rows]
    output = tuple(dict.fromkeys(chunk.document_id for chunk in chunks))[: len(gold(task).gold)]
    done = SearchRecord(
        met=frozenset(chunk.document_id for chunk in chunks),
        output=output,
        answered=answers(task, [chunk for chunk in chunks if chunk.document_id in output]),
        turns=1,
        prune_only=(False,),
    )
    episode = Episode(id=f"bm25-{index:05d}", task=task, group="bm25", seed=0)
    episode.rewards.extend(environment.judge(done))
    return episode
