"""What an episode did, told from its own record alone, is what its environment saw."""

import pytest

from harness.world import call
from trivium.config import ShownConfig
from trivium.envs.search import stored_record

from .builders import environment, live, task, tasks


def cite(opened, *names):
    return "".join(f"<Document id={opened.presentation.shown(f'{name}_0')}></Document>" for name in names)


@pytest.mark.parametrize("titles", [True, False])
def test_met_output_and_answer_are_derived_again(titles):
    answered = []
    for asked in tasks()[0][:5]:
        (first,), (second,) = asked.data["facts"]
        for cited in ((), (second,), (first, second)):
            opened = environment(asked, shown=ShownConfig(titles=titles))
            searches = [call("search_corpus", query=query) for query in asked.data["queries"]]
            lived = live(opened, *searches, cite(opened, *cited))
            assert stored_record(lived, titles=titles) == opened.record(lived)
            answered.append(opened.record(lived).answered)
    assert set(answered) == {True, False}


def searched(answers, **shown):
    """An episode that is shown the first document of a task and cites it; the answers are others."""
    (first,), _ = tasks()[0][0].data["facts"]
    opened = environment(task([[first]], answers), shown=ShownConfig(**shown))
    lived = live(opened, call("search_corpus", query=tasks()[0][0].data["queries"][0]), cite(opened, first))
    return opened, lived


def test_the_line_with_the_id_answers_nothing():
    opened, lived = searched(["DOCUMENT ID", "tokens"])
    assert not opened.record(lived).answered
    assert stored_record(lived, titles=True) == opened.record(lived)


def test_an_answer_that_a_hidden_title_may_hold_is_not_told():
    opened, lived = searched([tasks()[0][0].data["facts"][0][0]], titles=False)
    assert opened.record(lived).answered
    assert stored_record(lived, titles=False) == "titles were not shown, and an answer may stand in one"


def test_an_id_that_was_never_shown_is_not_told():
    asked = tasks()[0][0]
    opened = environment(asked)
    lived = live(opened, cite(opened, asked.data["facts"][1][0]))
    assert opened.record(lived).answered
    assert stored_record(lived, titles=True) == "the answer cites an id that was never shown"
