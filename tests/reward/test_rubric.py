import math

import pytest

import trivium.reward
from trivium.episode import ConfigError, Episode, JudgeError, Task
from trivium.reward import Rubric, Term

EPISODE = Episode(id="e1", task=Task(id="t", prompt="?"), group="g", seed=0, answer="four words in all")


def test_the_total_is_the_weighted_sum_under_the_name_reward() -> None:
    rubric = Rubric(Term("words", lambda e: len(e.answer.split()), 0.5), Term("logged", lambda e: 9, 0.0))
    assert [(r.term, r.value) for r in rubric(EPISODE)] == [("words", 4.0), ("logged", 9.0), ("reward", 2.0)]
    assert len({r.time for r in rubric(EPISODE)}) == 1


def test_a_term_that_raises_is_the_judges_fault_not_the_agents() -> None:
    with pytest.raises(JudgeError, match="term broken failed on episode e1 with ZeroDivisionError"):
        Rubric(Term("broken", lambda e: 1 / 0))(EPISODE)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "1"])
def test_only_a_finite_number_is_a_reward(value: object) -> None:
    with pytest.raises(JudgeError, match="term odd gave"):
        Rubric(Term("odd", lambda e: value))(EPISODE)  # type: ignore[arg-type, return-value]


def test_names_are_unique_and_the_totals_is_taken() -> None:
    for name in ("twice", "reward"):
        with pytest.raises(ConfigError, match=f"two terms named {name}"):
            Rubric(Term(name, lambda e: 1), Term("twice", lambda e: 1))
    with pytest.raises(ConfigError, match="weight nan"):
        Rubric(Term("a", lambda e: 1, math.nan))


def test_a_total_that_overflows_is_refused() -> None:
    with pytest.raises(JudgeError, match="the total of episode e1 is inf"):
        Rubric(Term("a", lambda e: 1e308, 1e10))(EPISODE)


def test_the_door_names_only_what_exists() -> None:
    assert all(hasattr(trivium.reward, name) for name in trivium.reward.__all__)
