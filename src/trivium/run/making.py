"""Making a set of tasks over a recipe's corpus: `trivium tasks`.

By a model where the recipe names a server ([policy.remote]), else by structure. The folder holds `items.jsonl`, the
ledger of every number that was tried, and the set itself in BEIR layout, written anew at each end.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from trivium.config import Recipe
from trivium.envs.search import ChainMaker, chain_settings
from trivium.envs.search.build import read_corpus
from trivium.envs.search.checks import ChainChecks
from trivium.envs.search.documents import brief, corpus_without_outside_links
from trivium.envs.search.opening import open_search
from trivium.envs.search.pipeline import (
    Author,
    Ledger,
    Report,
    Settings,
    Structure,
    Verifier,
    Writer,
    make_items,
    write_set,
)
from trivium.episode import ConfigError
from trivium.retrieval import Corpus, Search, split

from .policy_folder import policy_folder
from .progress import Progress, as_stages
from .remote import open_chat, with_model
from .rendering import make_renderer

LEDGER = "items.jsonl"
ANSWER = 2048
"""Tokens that a model may write for one stage of one task, beyond its thinking."""


def make_tasks(recipe: Recipe, folder: Path, count: int, distractors: int, progress: Progress) -> Report:
    """Make up to `count` tasks into `folder`, going on where it stands. Raises ConfigError when none can be made."""
    recipe, stages = with_model(recipe), as_stages(progress)
    own = recipe.environment
    whole = read_corpus(own, stages)
    corpus = corpus_without_outside_links([brief(item, own.corpus.brief) for item in whole.documents])
    renderer = make_renderer(recipe.policy, policy_folder(recipe.policy.model))
    chunked = split(corpus, renderer.count, own.corpus.chunk_tokens, stages)
    search = open_search(chunked, own.retrieval, stages)
    settings = Settings(
        count=count,
        hops=own.tasks.hops,
        distractors=distractors,
        side_by_side=recipe.policy.batch if recipe.policy.remote else 1,
        numbers=own.tasks.variants * len(chunked.chunks),
    )
    with Ledger(folder / LEDGER, _making(recipe, chunked, settings)) as ledger:
        progress.stage("tasks", None)
        report = asyncio.run(_made(recipe, settings, chunked, search, ledger, folder, progress))
    if not report.made:
        linked = recipe.policy.remote or any(item.links for item in corpus.documents)
        why = "; ".join(report.lines()) if linked else "the corpus has no links; name a model by --writer URL"
        raise ConfigError(f"no task could be made of {len(corpus.documents):,} documents: {why}")
    return report


async def _made(
    recipe: Recipe,
    settings: Settings,
    corpus: Corpus,
    search: Search,
    ledger: Ledger,
    folder: Path,
    progress: Progress,
) -> Report:
    async with _author(recipe, corpus, search) as (author, checks):
        verifier = Verifier(corpus, checks)
        items, report = await make_items(settings, author, verifier, search, ledger, progress.tick)
    if items:
        write_set(folder, items, corpus)
    return report


@asynccontextmanager
async def _author(recipe: Recipe, corpus: Corpus, search: Search) -> AsyncIterator[tuple[Author, ChainChecks]]:
    """Who writes, with the checks over the same index."""
    own, shown = recipe.environment.tasks, recipe.environment.shown.hits
    if recipe.policy.remote is None:
        maker = ChainMaker(corpus, search, chain_settings(own, hops=own.hops[0], shown=shown))
        yield Structure(maker, own.seed), maker.checks
        return
    chat = open_chat(recipe.policy)
    room = ANSWER + recipe.policy.remote.thinking

    async def ask(prompt: str) -> str:
        return await chat.text(prompt, max_tokens=room, temperature=recipe.policy.temperature)

    try:
        yield Writer(corpus, search, ask, own.seed), ChainChecks(corpus, search, own.hits, shown)
    finally:
        await chat.close()


def _making(recipe: Recipe, corpus: Corpus, settings: Settings) -> str:
    """What is made, so that another making does not go on in the same folder: all but how many."""
    tasks, remote = recipe.environment.tasks, recipe.policy.remote
    writer = f"{remote.model} at {remote.url}" if remote else f"structure, {tasks.clues} clues"
    made = (corpus.digest, writer, tasks.seed, tasks.hits, settings.hops, settings.distractors)
    return msgspec.json.encode(made).decode()
