"""The judge of evidence, on small corpora and on the public sets where they are at hand."""

import os
import runpy
from pathlib import Path

import pytest

from trivium.envs.search.pipeline import Claim, EvidenceJudge
from trivium.retrieval import Corpus, Document

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("TRIVIUM_SHARED_DATA") or ROOT.parent / "shared" / "data") / "search"
TEXTS = {
    "Tall Crane": "The Tall Crane of Obernau lifts steel. It was built by Ida Moser.",
    "Ida Moser": "Ida Moser was an engineer born in Linz.",
    "Low Crane": "The Low Crane of Unterau lifts sand.",
    "Linz": "Linz is a town on the Danube.",
}
FILLER = {f"Page {number}": f"word{number} " * 3 for number in range(60)}
JUDGE = EvidenceJudge(Corpus(tuple(Document(name, name, text) for name, text in (TEXTS | FILLER).items())))
ASKED = "Where was the builder of the Tall Crane born?"


def reason(*documents, answers=("Linz",)):
    return JUDGE.reason([Claim(ASKED, document) for document in documents], answers)


def test_a_chain_from_the_question_to_the_answer_is_evidence():
    assert reason("Tall Crane", "Ida Moser") is None


def test_what_is_missing_is_named():
    assert reason("Tall Crane", "Low Crane") == "the answer stands in no document"
    assert reason("Low Crane", "Ida Moser") == "the question names a document that is not there"
    assert reason("Tall Crane", "Ida Moser", "Page 7") == "nothing leads to a document"


def test_a_part_must_hold_its_own_answer():
    parts = [Claim("Who built the Tall Crane?", "Tall Crane", ("Ida Moser",)), Claim("born", "Ida Moser", ("Linz",))]
    assert JUDGE.reason(parts) is None
    assert JUDGE.reason([parts[0], Claim("born", "Low Crane", ("Linz",))]) == "an answer does not stand in its document"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["musique_train100", "hotpotqa_train100", "hotpotqa_dev100"])
def test_the_judge_agrees_with_the_gold_evidence_of_public_sets(name):
    if not (DATA / name).is_dir():
        pytest.skip(f"{DATA / name} does not exist: set TRIVIUM_SHARED_DATA to run this test")
    verdicts = runpy.run_path(str(ROOT / "tools" / "agreement.py"))["verdicts"](DATA / name)
    assert sum(kept + refused for kept, refused in verdicts) / (2 * len(verdicts)) >= 0.8
