"""A real index of linked entries, an author over it, and a writer that does by rule what a model is asked to do."""

import asyncio
import re
from functools import cache

from envs.builders import documents, index, settings
from harness.world import renderer
from trivium.envs.search import ChainMaker
from trivium.envs.search.pipeline import Item, Settings, Structure, Verifier, make_items
from trivium.retrieval import Corpus, Search, split


def held(*more):
    """The index, with more documents."""
    if not more:
        return index()
    corpus = split(Corpus((*documents(), *more)), renderer().count, 400)
    return Search.open(corpus)


def maker(over=None, hits=3):
    over = over or index()
    return ChainMaker(over.corpus, over, settings(clues=4, hits=hits, shown=hits))


def verifier(*more, hits=3):
    over = held(*more)
    return Verifier(over.corpus, maker(over, hits).checks)


def made(ledger, how=None, author=None, hits=3):
    how = how or Settings(count=6, numbers=60)
    author = author or Structure(maker(), 0)
    return asyncio.run(make_items(how, author, verifier(hits=hits), index(), ledger))


@cache
def good(hops=2) -> Item:
    """A verified item by structure."""
    author, checks = Structure(maker(), 0), verifier()

    async def find():
        for number in range(60):
            item = await author.explore(number, None)
            while isinstance(item, Item) and len(item.hops) < hops:
                item = await author.chain(item, None)
            if isinstance(item, Item) and checks.reason(item) is None:
                return item
        raise AssertionError("no item passes")

    return asyncio.run(find())


def scribe(prompt):
    """What a good writer would answer to a prompt over these entries."""
    if "<holds>" in prompt:
        return "<holds>no</holds>"
    first, second = re.findall(r"PASSAGE [AB]: \S+\n(.*)", prompt)
    name = re.findall(r"PASSAGE B: (\S+)", prompt)[0]
    one, two = first.split("tells of ")[1].split(), second.split("tells of ")[1].split()
    truth = " ".join(two[3:6])
    said = {"name": name, "truth": truth, "quote_b": " ".join(two[2:7])}
    if "old question" in prompt:
        said["question"] = re.findall("The old question: (.*)", prompt)[0].replace("lead", "lead at last")
    else:
        clues = f"It is about {one[2]} and {one[5]} and {one[7]} and {one[9]}."
        said |= {"clues": clues, "question": f"{clues} Where does it lead?", "quote_a": " ".join(one[1:5])}
    return "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in said.items())
