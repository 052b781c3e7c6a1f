"""Planted bad tasks are refused, each for its own reason; good ones pass."""

import msgspec
import pytest

from envs.builders import documents
from trivium.envs.search.pipeline import Hop
from trivium.retrieval import Document

from .making import good, verifier


def altered(item, **changes):
    return msgspec.structs.replace(item, **changes)


def with_hop(item, place, **changes):
    hops = list(item.hops)
    hops[place] = msgspec.structs.replace(hops[place], **changes)
    return altered(item, hops=tuple(hops))


def text_of(hop):
    return next(document for document in documents() if document.id == hop.document).text


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_good_items_pass(hops):
    item = good(hops)
    assert len(item.hops) == hops
    assert verifier().reason(item) is None


@pytest.mark.parametrize("place", [0, 1])
def test_a_wrong_quote_is_refused(place):
    bad = with_hop(good(), place, quotes=("these are words that nobody ever wrote there",))
    assert verifier().reason(bad) == "a quote does not stand in its chunk"


def test_a_hop_without_a_quote_is_refused():
    assert verifier().reason(with_hop(good(), 1, quotes=())) == "a quote does not stand in its chunk"


def test_a_truth_that_the_last_chunk_does_not_hold_is_refused():
    bad = altered(good(), truth="seven golden ducks on a frozen lake")
    assert verifier().reason(bad) == "the truth does not stand in the last chunk"


@pytest.mark.parametrize("kind", ["truth", "bridge"])
def test_an_answer_in_a_distractor_is_refused(kind):
    item = good(3)
    told = item.truth.upper() if kind == "truth" else f"It leads to {item.hops[2].query}, they say."
    planted = Document("planted", "planted", told)
    bad = altered(item, distractors=("planted",))
    assert verifier(planted).reason(bad) == "a distractor holds the answer"
    harmless = Document("planted", "planted", "Nothing of the kind is told here.")
    assert verifier(harmless).reason(bad) is None


def test_gold_is_no_distractor():
    assert verifier().reason(altered(good(), distractors=(good().hops[0].document,))) == "a distractor is gold"


def test_a_task_that_one_query_answers_is_refused():
    item = good()
    spare = text_of(item.hops[1]).split()[-7:-3]
    assert not set(spare) & set(item.truth.split())
    bad = altered(item, question=f"{item.question} It speaks of {' '.join(spare)}.")
    assert verifier().reason(bad) == "one query finds all of it"


def test_a_question_that_says_the_answer_is_refused():
    bad = altered(good(), question=f"{good().question} Is it: {good().truth}?")
    assert verifier().reason(bad) == "the question gives the truth away"


def test_a_hop_that_the_question_skips_is_refused():
    item = good(3)
    bad = altered(item, question=f"{item.question} See {item.hops[2].query}.")
    assert verifier().reason(bad) == "a hop is not needed"


def test_a_hop_that_an_earlier_chunk_skips_is_refused():
    item = good(3)
    first = next(document for document in documents() if document.id == item.hops[0].document)
    short = Document("short", "short", f"{first.text} Or {item.hops[2].query}.")
    bad = with_hop(item, 0, document="short", chunk="short_0")
    found = verifier(short)
    found.checks.fits_another = lambda words, document: False  # the original is a twin of what stands in for it
    assert found.reason(bad) == "a hop is not needed"


def test_a_hop_that_nothing_names_is_refused():
    item = good()
    stranger = next(d for d in documents() if d.id not in {hop.document for hop in item.hops})
    start = " ".join(stranger.text.split()[:6])
    lost = Hop(stranger.id, f"{stranger.id}_0", stranger.title, (start,))
    bad = altered(item, hops=(item.hops[0], lost), truth=start)
    assert verifier().reason(bad) == "a hop is not named by the one before it"


def test_clues_that_fit_another_document_are_refused():
    twin = Document("twin", "twin", text_of(good().hops[0]))
    assert verifier(twin).reason(good()) == "the clues fit another document as well"


def test_a_chain_over_one_document_is_refused():
    bad = altered(good(), hops=(good().hops[0], good().hops[0]))
    assert verifier().reason(bad) == "it has no two hops over different documents"
