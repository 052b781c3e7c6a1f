"""Generated tasks, against a slow verifier that reads the corpus with its own eyes."""

import itertools
import json

import msgspec
import pytest

from harness.world import renderer
from trivium.config import EnvironmentConfig, RewardConfig
from trivium.envs.search import ChainMaker, build_world
from trivium.episode import ConfigError
from trivium.retrieval import Corpus, Search, split

from .builders import documents, index, settings, tasks


def by_id(corpus, name):
    """The text of a document's first chunk, found by looking at all of them."""
    return next(chunk for chunk in corpus.chunks if chunk.document_id == name)


def verify(task, held, hits=3):
    corpus, search = held.corpus, held
    facts = [fact for (fact,) in task.data["facts"]]
    chain = [by_id(corpus, name) for name in facts]
    assert len(set(facts)) == task.data["hops"] == len(facts)
    for here, ahead in itertools.pairwise(chain):
        document = next(item for item in corpus.documents if item.id == here.document_id)
        assert ahead.document_id in document.links
        assert ahead.title in here.text
    (truth,) = task.data["answers"]
    assert truth in chain[-1].text
    assert [item.id for item in corpus.documents if truth in item.text] == facts[-1:]
    clues, *names = task.data["queries"]
    for clue in clues.split():
        assert clue in task.prompt
        assert clue in chain[0].text.lower()
        assert clue not in chain[0].title.lower()
    others = [f"{c.title} {c.text}".lower() for c in corpus.chunks if c.document_id != facts[0]]
    assert not any(all(clue in text for clue in clues.split()) for text in others)
    assert all(name in here.text for name, here in zip(names, chain, strict=False))
    found = set()
    for chunk, query in zip(chain, task.data["queries"], strict=True):
        found |= {hit.chunk.id for hit in search.search(query, k=hits, exclude=found)}
        assert chunk.id in found
    assert facts[-1] not in {hit.chunk.document_id for hit in search.search(task.prompt, k=hits)}
    assert not any(chunk.title in task.prompt for chunk in chain[1:])


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_every_task_passes_an_independent_verifier(hops):
    made, report = tasks(hops)
    assert len(made) == report.made >= 10
    assert len({task.id for task in made}) == len({task.prompt for task in made}) == len(made)
    for task in made:
        verify(task, index())


def test_a_seed_gives_the_same_tasks_and_another_gives_others():
    held = index()

    def make(seed):
        return ChainMaker(held.corpus, held, settings(clues=3)).make(10, seed, "f")[0]

    assert make(3) == make(3) != make(4)


def test_variants_begin_at_one_chunk_with_other_clues():
    held = index()
    made, _ = ChainMaker(held.corpus, held, settings(clues=3, variants=3)).make(500, 0, "f")
    first = [task.data["facts"][0][0] for task in made]
    assert len(made) > 60
    assert max(map(first.count, first)) == 3


def test_clues_that_fit_another_document_are_refused():
    twins = [msgspec.structs.replace(item, id=f"{item.id}.twin", title=f"{item.title}.twin") for item in documents()]
    corpus = split(Corpus((*documents(), *twins)), renderer().count, 400)
    made, report = ChainMaker(corpus, Search.open(corpus), settings(clues=3, hits=5)).make(10, 0, "f")
    assert made == []
    assert set(report.refused) == {"its clues fit another document as well"}


def test_a_quote_that_stands_in_another_document_is_refused():
    held = index()
    made, _ = ChainMaker(held.corpus, held, settings(clues=3)).make(10, 0, "f")
    quoted = {task.data["answers"][0] for task in made}
    echoes = [
        msgspec.structs.replace(item, id=f"echo{at}", title=f"Echo{at}", links=())
        for at, item in enumerate(documents())
        if any(quote in item.text for quote in quoted)
    ]
    corpus = split(Corpus((*documents(), *echoes)), renderer().count, 400)
    again, _ = ChainMaker(corpus, Search.open(corpus), settings(clues=3)).make(1000, 0, "f")
    assert again
    assert quoted.isdisjoint(task.data["answers"][0] for task in again)


def test_one_query_must_not_find_all_among_the_hits_that_a_search_shows():
    """Every document says some words of the one that links to it, so that a question may find its last document too."""

    def first_words(item):
        return " ".join(item.text.split()[5:11])

    linking = {link: item for item in documents() for link in item.links}
    told = [
        msgspec.structs.replace(item, text=f"{item.text} {first_words(linking[item.id])}")
        if item.id in linking
        else item
        for item in documents()
    ]
    corpus = split(Corpus(tuple(told)), renderer().count, 400)
    search = Search.open(corpus)
    made = {
        shown: ChainMaker(corpus, search, settings(clues=3, hits=1, shown=shown)).make(1000, 0, "f") for shown in (1, 3)
    }
    assert made[1][1].refused["one query finds all of it"] < made[3][1].refused["one query finds all of it"]
    for task in made[3][0]:
        hits = search.search(task.prompt, k=3)
        assert task.data["facts"][-1][0] not in {hit.chunk.document_id for hit in hits}


def test_a_corpus_without_links_says_what_to_do_instead():
    held = index(linked=False)
    made, report = ChainMaker(held.corpus, held, settings()).make(10, 0, "f")
    assert made == []
    said = report.lines()
    assert said[0] == "0 tasks from 60 documents, 0 of which link to another"
    assert "the corpus has no links: chains need them; judge it by its own questions (BEIR qrels) instead" in said


def folder_config(path, **tasks):
    corpus = {"kind": "folder", "path": path, "chunk_tokens": 400}
    return EnvironmentConfig.model_validate(
        {"corpus": corpus, "tasks": {"clues": 3, "train": 20, "held_out": 5} | tasks}
    )


def write(folder, linked=True):
    lines = [
        json.dumps({"id": item.id, "title": item.title, "text": item.text, "links": list(item.links)})
        for item in documents(120, linked)
    ]
    (folder / "corpus.jsonl").write_text("\n".join(lines))


def test_the_two_sides_share_no_document(tmp_path):
    write(tmp_path)
    world = build_world(folder_config(tmp_path), RewardConfig(), len)
    train, held = ({item.id for item in side.search.corpus.documents} for side in (world.train, world.held_out))
    assert train
    assert held
    assert not train & held
    assert not {name.split(".")[0] for name in train} & {name.split(".")[0] for name in held}
    for side, own in ((world.train, train), (world.held_out, held)):
        assert all(set(item.links) <= own for item in side.search.corpus.documents)
        assert {name for task in side.tasks for fact in task.data["facts"] for name in fact} <= own
    assert world.train.tasks


def test_a_world_without_tasks_names_the_reason(tmp_path):
    write(tmp_path, linked=False)
    with pytest.raises(ConfigError, match="the corpus has no links"):
        build_world(folder_config(tmp_path), RewardConfig(), len)
