"""Shown ids: one to one, drawn anew for every group, and scored through the map."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.envs.search import Presentation
from trivium.envs.search.presentation import digits_for
from trivium.retrieval import Chunk, Corpus

from .builders import environment, live, tasks


def corpus(count):
    return Corpus((), tuple(Chunk(f"d{at}_0", f"d{at}", 0, "text", "") for at in range(count)))


SIZES = {count: corpus(count) for count in (1, 7, 300, 10_000, 10_001)}


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(sorted(SIZES)), st.integers(0, 2**63 - 1))
def test_shown_ids_are_one_to_one(count, seed):
    presentation = Presentation(SIZES[count], seed)
    ids = [chunk.id for chunk in SIZES[count].chunks]
    shown = [presentation.shown(name) for name in ids]
    assert len(set(shown)) == count
    assert {len(name) for name in shown} == {digits_for(count)}
    assert [presentation.chunk_id(name) for name in shown[:50]] == ids[:50]
    known = set(shown)
    for name in ("0000", "9999", "5", "00005", "000000", "999999", "", "abcd", "-001", "١٢٣٤", "1_00", " 123"):
        assert (presentation.chunk_id(name) is None) == (name not in known)


def test_ids_are_drawn_anew_for_every_seed_and_shared_inside_a_group():
    one, same, other = (Presentation(SIZES[300], seed) for seed in (1, 1, 2))
    ids = [chunk.id for chunk in SIZES[300].chunks]
    assert [one.shown(name) for name in ids] == [same.shown(name) for name in ids]
    assert sum(one.shown(name) == other.shown(name) for name in ids) < 10


@pytest.mark.parametrize(("count", "digits"), [(1, 4), (10_000, 4), (10_001, 6), (1_000_001, 8)])
def test_digits_grow_in_pairs(count, digits):
    assert digits_for(count) == digits


def test_two_presentations_of_one_answer_score_the_same():
    asked = tasks()[0][0]
    gold = [fact for (fact,) in asked.data["facts"]]
    totals = []
    for seed in (1, 2):
        opened = environment(asked, seed=seed)
        cites = "".join(f"<Document id={opened.presentation.shown(f'{name}_0')}></Document>" for name in gold)
        lived = live(opened, cites)
        totals.append((cites, lived.terms()["reward"], lived.terms()["recall"]))
    assert totals[0][0] != totals[1][0]
    assert totals[0][1:] == totals[1][1:]
    assert totals[0][2] == 1.0
