"""A small linked corpus of made-up entries, its index, and episodes over it."""

import asyncio
import random
from functools import cache

import msgspec

from harness.world import harness, renderer, wide
from trivium.config import ShownConfig, TasksConfig
from trivium.envs.search import ChainMaker, SearchEnvironment, chain_settings
from trivium.envs.search.facts import facts_data
from trivium.episode import Episode, Task
from trivium.harness import run_episode
from trivium.retrieval import Corpus, Document, Search, split
from trivium.reward import Context1Reward

SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "xi"]


def word(rng):
    return "".join(rng.choice(SYLLABLES) for _ in range(4))


def documents(count=60, linked=True, seed=0):
    """Entry i tells of its own rare words and names the next one."""
    rng = random.Random(seed)
    names = [f"{word(rng)}.{word(rng)}" for _ in range(count)]
    made = []
    for at, name in enumerate(names):
        ahead = names[(at + 1) % count]
        about = " ".join(word(rng) for _ in range(12))
        text = f"The entry {at} tells of {about}. See {ahead}." if linked else f"The entry {at} tells of {about}."
        made.append(Document(name, name, text, (ahead,) if linked else ()))
    return tuple(made)


@cache
def index(linked=True, count=60):
    corpus = split(Corpus(documents(count, linked)), renderer().count, 400)
    return Search.open(corpus)


def settings(**own):
    """The settings of a recipe without keys, for two hops and three hits; some of them replaced."""
    return msgspec.structs.replace(chain_settings(TasksConfig(), hops=2, shown=3), **own)


@cache
def tasks(hops=2):
    made, report = ChainMaker(index().corpus, index(), settings(hops=hops, clues=3)).make(30, 0, f"{hops}-hop")
    return tuple(made), report


def task(facts, answers, prompt="ask"):
    return Task(id="t", prompt=prompt, data=facts_data(facts, answers, {}))


def environment(asked, search=None, seed=1, tools=("search_corpus", "grep_corpus", "read_document"), **options):
    search, options = search or index(), {"form": "short", "shown": ShownConfig(), **options}
    return SearchEnvironment(asked, search, seed, reward=Context1Reward(), beta2=16.0, tools=tools, **options)


def live(opened, *replies, budget=None):
    """An episode that says these replies in `opened`."""
    lived = Episode(id="e", task=opened.task, group="g", seed=1)
    return asyncio.run(run_episode(lived, opened, harness(*replies, budget=budget or wide(60_000))))
