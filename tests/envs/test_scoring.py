"""From an episode to its reward: what was met, what was cited, and every term of a hand-made episode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.world import call, pruned
from trivium.envs.search.facts import cited, cited_documents
from trivium.envs.source import Source
from trivium.episode import ConfigError, Failed, Task
from trivium.reward import f_beta

from .builders import environment, index, live, task, tasks


@pytest.mark.parametrize(
    ("answer", "ids"),
    [
        ("", []),
        ("12 and 0034", []),
        ("<Document id=0012></Document>", ["0012"]),
        ('<Document id="0012"/><Document id=0034>why</Document>', ["0012", "0034"]),
        ("<Document  id = 0012 ><Justification>x</Justification></Document>", ["0012"]),
        ("<Document id=0012></Document><Document id=0034></Document><Document id=0012></Document>", ["0012", "0034"]),
        ("<Document id=>", []),
        ("<Document>0012</Document>", []),
    ],
)
def test_ids_are_cited_by_tag_in_order_each_once(answer, ids):
    assert cited(answer) == ids


@given(st.text(max_size=60))
def test_reading_an_answer_never_fails(answer):
    assert isinstance(cited(answer), list)


def cite(opened, *names):
    return "".join(f"<Document id={opened.presentation.shown(f'{name}_0')}></Document>" for name in names)


def names(count):
    return [item.id for item in index().corpus.documents[:count]]


def unknown(opened):
    return next(f"{at:04d}" for at in range(10_000) if opened.presentation.chunk_id(f"{at:04d}") is None)


def test_an_id_that_shows_nothing_costs_precision():
    gold = names(1)
    opened = environment(task([gold], gold))
    good, forged = cite(opened, *gold), f"<Document id={unknown(opened)}></Document>"
    assert live(opened, good).terms()["precision"] == 1.0
    assert live(environment(opened.task), good + forged).terms()["precision"] == 0.5
    assert live(environment(opened.task), good + forged + forged).terms()["precision"] == 0.5


def test_a_document_cited_by_its_own_name_is_not_found():
    gold = names(1)
    lived = live(environment(task([gold], gold)), f"<Document id={gold[0]}></Document>")
    assert (lived.terms()["recall"], lived.terms()["r_fa"]) == (0.0, 0.0)
    assert lived.terms()["output_unmet"] == 1.0


def test_only_the_first_n_citations_count_and_chunks_of_one_document_are_one():
    listed = names(9)
    opened = environment(task([listed[:1]], listed[:1]))
    answer = cite(opened, *listed)
    assert cited_documents(answer, opened.presentation, 4) == tuple(listed[:4])
    late = cite(opened, *listed[1:5], listed[0])
    short = environment(opened.task, cites=4)
    assert live(short, late).terms()["recall"] == 0.0
    assert live(environment(opened.task), late).terms()["recall"] == 1.0


def test_every_term_of_a_hand_made_episode():
    asked = tasks()[0][0]
    (first,), (second,) = asked.data["facts"]
    opened = environment(asked)
    own = opened.presentation
    clues, name = asked.data["queries"]
    shown = own.shown(f"{first}_0")
    stray = next(item for item in names(60) if item not in (first, second))
    replies = (
        call("search_corpus", query=clues),
        pruned(shown),  # gold, and still met
        "<tool_call>broken</tool_call>" + call("fly"),
        call("search_corpus", query=name),
        cite(opened, second, stray),
    )
    lived = live(opened, *replies)
    terms = lived.terms()
    f = f_beta(0.5, 0.5, 16.0)
    expected = {
        "precision": 0.5,
        "recall": 0.5,
        "f_beta": f,
        "f1": 0.5,
        "r_traj": 1.0,
        "r_fa": 1.0,
        "p_prune": 0.0,
        "p_turn": 0.0,
        "p_malformed": 0.2,
        "prune_accuracy": 0.0,
        "gold_kept": 0.5,
        "searches": 2.0,
        "turns": 5.0,
    }
    assert {name: terms[name] for name in expected} == pytest.approx(expected)
    assert terms["reward"] == pytest.approx(0.7 * f + 0.3 + 1.0 - 0.2)
    assert lived.outcome.reward == terms["reward"]
    sight = [part.source for part in next(node for node in lived.tree.nodes if node.parts).parts]
    chance = 1 - sum(chunk in (f"{first}_0", f"{second}_0") for chunk in sight) / len(sight)
    assert terms["prune_gain"] == pytest.approx(0.0 - chance)


def test_an_episode_that_does_nothing_gets_the_floor():
    lived = live(environment(tasks()[0][0]), "I do not know")
    assert lived.outcome.reward == pytest.approx(0.001)
    assert not isinstance(lived.outcome, Failed)
    assert "prune_accuracy" not in lived.terms()


def test_a_source_needs_tasks_of_different_names():
    one = Task(id="a", prompt="p")
    with pytest.raises(ConfigError, match="no tasks"):
        Source("s", (), lambda task, seed: environment(task))
    with pytest.raises(ConfigError, match="2 tasks but 1 ids"):
        Source("s", (one, one), lambda task, seed: environment(task))
