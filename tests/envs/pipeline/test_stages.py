"""The stages on a real corpus: what comes out, what is refused, and what a crash leaves."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from envs.builders import documents, index
from trivium.envs.search.pipeline import Ledger, Settings, Structure, Writer, read_lines, write_set
from trivium.envs.search.pipeline.ledger import Line
from trivium.envs.search.qrels import qrel_tasks
from trivium.episode import ConfigError, DataError, EngineError
from trivium.retrieval import load_beir

from .making import good, made, maker, scribe


def ledger(tmp_path, name="items.jsonl", making="m"):
    return Ledger(tmp_path / name, making)


def whole(item):
    """Looked at with one's own eyes: every quote, every name, every distractor."""
    texts = {document.id: document.text for document in documents()}
    chain = [texts[hop.document] for hop in item.hops]
    assert all(
        quote.lower() in text.lower() for hop, text in zip(item.hops, chain, strict=True) for quote in hop.quotes
    )
    assert all(hop.query in before for hop, before in zip(item.hops[1:], chain, strict=False))
    assert item.truth in chain[-1]
    assert not {hop.document for hop in item.hops} & set(item.distractors)
    for document in item.distractors:
        assert item.truth not in texts[document]
        assert not any(hop.query in texts[document] for hop in item.hops[1:])
    assert len(item.distractors) == len(set(item.distractors))


def test_items_of_two_to_four_hops_are_made_by_structure(tmp_path):
    with ledger(tmp_path) as kept:
        items, report = made(kept, Settings(count=9, hops=(2, 3, 4), distractors=4, numbers=60))
    assert report.made == len(items) == 9
    assert {len(item.hops) for item in items} == {2, 3, 4}
    assert any(item.distractors for item in items)
    for item in items:
        whole(item)
    assert report.tried == 9 + report.refused.total()
    assert report.lines()[0].startswith("9 tasks from")


def test_stopping_and_going_on_gives_what_one_sitting_gives(tmp_path):
    with ledger(tmp_path) as kept:
        once, _ = made(kept)
    with ledger(tmp_path, "two.jsonl") as kept:
        made(kept, Settings(count=3, numbers=60))
    with ledger(tmp_path, "two.jsonl") as kept:
        asked = Counting(maker(), 0)
        twice, _ = made(kept, author=asked)
        assert min(asked.numbers) > max(line.number for line in read_lines(tmp_path / "two.jsonl")[:3])
    assert once == twice
    with ledger(tmp_path, "wide.jsonl") as kept:
        assert made(kept, Settings(count=6, numbers=60, side_by_side=5))[0] == once


class Counting(Structure):
    numbers: list[int]

    async def explore(self, number, told):
        self.numbers = [*getattr(self, "numbers", []), number]
        return await super().explore(number, told)


def test_a_writer_makes_items_and_is_told_what_was_wrong(tmp_path):
    prompts = []
    bad = itertools.cycle(
        [lambda good: "", lambda good: good.replace("<quote_b>", "<quote_b>Nobody ever wrote this: ")]
    )

    async def careless(prompt):
        """Answers badly at first, and well when it is told why."""
        prompts.append(prompt)
        told = "<holds>" in prompt or "was refused" in prompt
        return scribe(prompt) if told else next(bad)(scribe(prompt))

    author = Writer(index().corpus, index(), careless, 0)
    with ledger(tmp_path) as kept:
        items, _ = made(kept, Settings(count=4, hops=(2, 3), distractors=2, numbers=30), author, hits=1)
    assert len(items) == 4
    assert {len(item.hops) for item in items} == {2, 3}
    for item in items:
        whole(item)
    refusals = [prompt for prompt in prompts if "was refused" in prompt]
    assert any("the answer has no <clues>" in prompt for prompt in refusals)
    assert any("a quote does not stand in its chunk" in prompt for prompt in refusals)


def test_a_writer_that_never_learns_is_refused_and_counted(tmp_path):
    async def stubborn(prompt):
        return scribe(prompt).replace("<truth>", "<truth>no such words: ")

    author = Writer(index().corpus, index(), stubborn, 0)
    with ledger(tmp_path) as kept:
        items, report = made(kept, Settings(count=1, numbers=3), author)
    assert items == []
    assert report.refused == {"explore: a quote does not stand in its chunk": 3}
    assert all(line.item is not None and not line.accepted for line in read_lines(tmp_path / "items.jsonl"))


def test_a_reader_that_takes_a_distractor_for_an_answer_is_heeded(tmp_path):
    async def jealous(prompt):
        return "<holds>yes</holds>" if "<holds>" in prompt else scribe(prompt)

    author = Writer(index().corpus, index(), jealous, 0)
    with ledger(tmp_path) as kept:
        items, report = made(kept, Settings(count=2, numbers=20), author)
    assert [item.distractors for item in items] == [(), ()]
    assert report.passed_over["distract: its reader takes it for an answer"] > 0


def test_a_server_that_fails_ends_the_making_and_loses_nothing(tmp_path):
    calls = []

    async def failing(prompt):
        calls.append(prompt)
        if len(calls) > 25:
            raise EngineError("the server is gone")
        return scribe(prompt)

    author = Writer(index().corpus, index(), failing, 0)
    with ledger(tmp_path) as kept:
        with pytest.raises(EngineError, match="the server is gone"):
            made(kept, Settings(count=50, distractors=3, numbers=60), author)
        done = dict(kept.lines)
    assert done
    with ledger(tmp_path) as kept:
        assert kept.lines == done


def test_the_set_is_read_back_as_tasks(tmp_path):
    gold = {hop.document for hop in good(3).hops}
    other = next(document.id for document in documents() if document.id not in gold)
    item = msgspec.structs.replace(good(3), distractors=(other,))
    write_set(tmp_path, [item], index().corpus)
    beir = load_beir(tmp_path)
    assert beir.qrels[item.id] == {hop.document: 1 for hop in item.hops} | {other: 0}
    (task,) = qrel_tasks(beir)
    assert task.prompt == item.question
    assert task.data["facts"] == [[hop.document] for hop in item.hops]
    assert task.data["answers"] == [item.truth]
    line = json.loads((tmp_path / "queries.jsonl").read_text())
    assert [hop["document"] for hop in line["gold"]] == [hop.document for hop in item.hops]
    assert all(quote.lower() in hop["text"].lower() for hop in line["gold"] for quote in hop["quotes"])
    assert line["distractors"] == [other]


def test_no_item_is_no_set(tmp_path):
    with pytest.raises(ConfigError, match="no task was made"):
        write_set(tmp_path, [], index().corpus)


def test_another_making_and_an_altered_file_are_refused(tmp_path):
    with ledger(tmp_path) as kept:
        kept.put(Line(0, refused="explore: x"))
        with pytest.raises(ConfigError, match="another process"):
            ledger(tmp_path)
    with pytest.raises(ConfigError, match="another making"):
        ledger(tmp_path, making="other")
    path = tmp_path / "items.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"number"', b'"numbers"'))
    with pytest.raises(DataError, match="was altered"):
        ledger(tmp_path)


@pytest.mark.parametrize("torn", [1, 5, 30])
def test_a_torn_last_line_is_cut_off(tmp_path, torn):
    with ledger(tmp_path) as kept:
        kept.put(Line(0, refused="explore: a reason that is long enough"))
        kept.put(Line(1, refused="explore: a reason that is long enough"))
    path = tmp_path / "items.jsonl"
    path.write_bytes(path.read_bytes()[:-torn])
    with ledger(tmp_path) as kept:
        assert list(kept.lines) == [0]
        kept.put(Line(1, refused="explore: again"))
    assert [line.number for line in read_lines(path)] == [0, 1]


def test_kill_9_loses_no_line_that_was_acknowledged(tmp_path):
    path, told = tmp_path / "items.jsonl", set()
    for delay in (0.02, 0.05, 0.11):
        script = [sys.executable, Path(__file__).with_name("killed.py"), path]
        with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(delay)
            os.kill(writer.pid, signal.SIGKILL)
            told |= {int(line) for line in writer.stdout.read().splitlines()[:-1]}
        with ledger(tmp_path) as kept:
            assert told <= set(kept.lines)
            assert all(line.refused == "explore: " + "x" * 5000 for line in kept.lines.values())
    assert len(told) > 3
