"""Detectors on the curves of real runs (curves.json), and on curves drawn by hand.

The control with shuffled rewards (docs/records/02-shuffled.json) collapsed to one search; three runs of the demo's
recipe learned. Figures are those that the runs logged, step by step.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Context, Draft, Episode, Kind, Reward, Sampled, Scored, StopReason, Task, Tree, Versions
from trivium.watch import DETECTORS, Finding, Seen, watch

CURVES: dict[str, dict[str, list[float]]] = json.loads((Path(__file__).parent / "curves.json").read_text())
HEALTHY = [name for name in CURVES if name != "shuffled"]


def lived(curves: Mapping[str, Sequence[float]], episodes: Sequence[Episode] = ()) -> list[Finding]:
    """What the detectors find when a run with these curves is lived step by step."""
    found = []
    for step in range(max(map(len, curves.values()))):
        now = {name: values[step] for name, values in curves.items() if step < len(values)}

        def curve(name: str, before: int = step) -> list[tuple[int, float]]:
            return list(enumerate(curves.get(name, ())[:before]))

        found += watch(step, now, episodes, curve)
    return found


def episode(name: str, *, searches: int = 1, recall: float = 0.5, tokens: int = 3, reward: float = 0.5) -> Episode:
    logprobs = (-0.1 * tokens,) * tokens
    versions = Versions(("w",), (tokens,))
    sampled = Sampled(
        policy="p", role="main", logprobs=logprobs, versions=versions, temperature=1.0, seed=0, stop=StopReason.STOP
    )
    tree = Tree()
    Context(tree).append(Draft(kind=Kind.ACTION, tokens=(1,) * tokens, sampled=sampled))
    made = Episode(id=name, task=Task(id="t", prompt=""), group="g", seed=0, tree=tree, outcome=Scored(reward))
    made.rewards = [Reward("searches", searches), Reward("recall", recall)]
    return made


def test_the_shuffled_control_is_told_to_search_once_and_quit() -> None:
    episodes = [episode("twice", searches=2, recall=1.0), episode("half"), episode("none", recall=0.0)]
    found = lived(CURVES["shuffled"], episodes)
    assert {one.kind for one in found} == {"search_once"}
    assert found[0].step is not None
    assert found[0].step < 20
    assert found[0].episodes == ("none", "half")


@pytest.mark.parametrize("run", HEALTHY)
def test_runs_that_learn_are_left_alone(run: str) -> None:
    assert lived(CURVES[run]) == []


FALLS = [1.0] * 5 + [0.2] * 7
"""Below a quarter for good."""


def test_entropy_collapse_tells_once_and_names_the_surest_episodes() -> None:
    found = lived({"learn.entropy": FALLS}, [episode("long", tokens=9), episode("short", tokens=1)])
    assert [(one.kind, one.step, one.episodes) for one in found] == [("entropy_collapse", 9, ("short", "long"))]


@pytest.mark.parametrize(("factor", "first"), [(2.5, "long"), (0.4, "short")])
def test_length_drift_names_the_longest_or_the_shortest(factor: float, first: str) -> None:
    curve = [100.0] * 5 + [100.0 * factor] * 7
    found = lived({"tokens.sampled": curve}, [episode("long", tokens=9), episode("short", tokens=1)])
    assert [(one.kind, one.step) for one in found] == [("length_drift", 9)]
    assert found[0].episodes[0] == first


def test_constant_groups_name_their_members() -> None:
    curves = {"batch.episodes dropped": [0.0] * 4 + [48.0] * 6, "batch.episodes trained": [64.0] * 4 + [16.0] * 6}
    found = lived(curves, [episode("a"), episode("b")])
    assert [(one.kind, one.episodes) for one in found] == [("constant_groups", ("a", "b"))]


@given(st.lists(st.floats(0, 10), max_size=30))
def test_no_detector_speaks_before_its_window_is_full(values: list[float]) -> None:
    names = ("term.searches", "term.recall", "learn.entropy", "tokens.sampled")
    seen = Seen(0, dict.fromkeys((*names, "batch.episodes dropped", "batch.episodes trained"), values[:4]))
    assert [detector(seen) for detector in DETECTORS] == [None] * len(DETECTORS)


@given(st.lists(st.floats(0.01, 10), min_size=10, max_size=40))
def test_a_window_is_the_mean_of_its_steps(values: list[float]) -> None:
    seen = Seen(0, {"x": values})
    assert seen.last("x") == pytest.approx(sum(values[-5:]) / 5)
    assert seen.first("x") == pytest.approx(sum(values[:5]) / 5)
    assert seen.last("x", ago=1) == pytest.approx(sum(values[-6:-1]) / 5)
