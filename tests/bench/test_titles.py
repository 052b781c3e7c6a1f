"""Every metric that a run records of a search has a title, and no two share one."""

from trivium.bench import METRICS, TITLES, arm_title, metric_title
from trivium.reward import Context1Reward, SearchFacts, SearchRecord


def test_every_term_of_the_reward_is_explained() -> None:
    facts = SearchFacts((frozenset({"a"}),))
    record = SearchRecord(met=frozenset({"a"}), output=("a",), turns=1, prune_only=(False,))
    assert Context1Reward().terms(facts, record, 4.0).keys() <= TITLES.keys()
    assert all(found.title and found.meaning for found in TITLES.values())


def test_no_two_metrics_share_a_title() -> None:
    assert len({found.title for found in TITLES.values()}) == len(TITLES)
    assert METRICS.keys() <= TITLES.keys()


def test_a_term_and_its_curve_have_one_title_and_an_unknown_name_stays() -> None:
    assert metric_title("term.r_fa") == metric_title("r_fa") == "answer found"
    assert metric_title("term.mine") == "term.mine"


def test_a_comparison_is_told_by_the_titles_of_its_arms() -> None:
    assert arm_title("after - bm25") == "after RL - BM25, one query"
    assert arm_title("mine - SFT instead of RL") == "mine - SFT instead of RL"
