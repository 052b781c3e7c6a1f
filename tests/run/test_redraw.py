"""What infrastructure failed is lived anew: in rollouts, in evaluations, and by experts."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from envs.builders import environment, tasks
from harness.world import episode, renderer, wide
from trivium.envs import Source
from trivium.episode import Invalid, Scored
from trivium.harness import Pruning
from trivium.run.evaluate import arm_of
from trivium.run.experts import Recorder, perfect
from trivium.run.redraw import reason_of, redrawn

INVALID = Invalid("engine", "gone")


@given(failures=st.integers(0, 6), redraws=st.integers(0, 4))
def test_attempts_end_with_the_first_valid_one_or_the_last_allowed(failures: int, redraws: int) -> None:
    attempts = []

    async def live(attempt: int):
        attempts.append(attempt)
        lived = episode(f"e{attempt}")
        lived.outcome = INVALID if attempt < failures else Scored(1.0)
        return lived

    last = asyncio.run(redrawn(live, redraws))
    assert attempts == list(range(min(failures, redraws) + 1))
    assert last.id == f"e{attempts[-1]}"
    assert isinstance(last.outcome, Invalid) == (failures > redraws)


def recorded(failures: int, redraws: int):
    """Two experts of a world that cannot be entered the first `failures` times."""
    asked, opened = tasks()[0][:2], []

    def open_environment(task, seed):
        entered = environment(task, seed=seed, tools=("search_corpus",))
        opened.append(entered)
        if len(opened) <= failures:
            entered.tools = ()
            entered.prompt = lambda: 1 / 0
        return entered

    source = Source("s", asked, open_environment)
    recorder = Recorder(
        source, renderer(), Pruning(wide(60_000)), perfect(True), 3, presentation=lambda n: n, redraws=redraws
    )
    return asked, asyncio.run(recorder.record(asked)), opened


def test_an_expert_that_infrastructure_failed_acts_again_with_other_draws() -> None:
    _, ((first, second), (other,)), opened = recorded(failures=1, redraws=2)
    assert isinstance(first.outcome, Invalid)
    assert "fix its tools, system and prompt()" in reason_of(first.outcome)
    assert isinstance(second.outcome, Scored)
    assert isinstance(other.outcome, Scored)
    assert second.terms()["recall"] == 1.0
    assert len({first.id, second.id, other.id}) == 3
    assert first.group == second.group != other.group
    assert first.seed != second.seed
    assert sorted(one.presentation.seed for one in opened) == [0, 0, 1]


def test_an_expert_that_stays_invalid_counts_as_missing_and_not_as_zero() -> None:
    asked, attempts, _ = recorded(failures=1, redraws=0)
    found = arm_of("ceiling", asked, attempts)
    assert found.missing == 1
    assert found.values["recall"] == (None, 1.0)
    assert found.values["one_search"][0] is None
    assert found.table()["recall"].mean == 1.0
