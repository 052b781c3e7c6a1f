"""Episodes of one question, fused and judged as one answer."""

import pytest

from envs.builders import documents, environment, live, task
from trivium.envs import Source
from trivium.episode import Invalid
from trivium.run import fusion
from trivium.run.evaluate import presentation_seed

IDS = [document.id for document in documents()]


def episode(opened, sample, *cited):
    said = "\n".join(f"<Document id={opened.presentation.shown(f'{name}_0')}></Document>" for name in cited)
    lived = live(opened, said)
    lived.id, lived.group = f"eval-x-00000-{sample}-0", "eval-0"
    return lived


@pytest.fixture
def asked():
    only = task([[IDS[0]], [IDS[1]]], [documents()[1].text.split()[7]])
    return Source("s", [only], lambda task, seed: environment(task, seed=seed))


def test_two_halves_make_a_whole_answer(asked):
    opened = [environment(asked.tasks[0], seed=presentation_seed(0)) for _ in range(2)]
    found, short = fusion(asked, [episode(opened[0], 0, IDS[0]), episode(opened[1], 1, IDS[1], IDS[7])], 2)
    assert short == 0
    assert found["recall"].fused.mean == 1.0
    assert found["recall"].gain.mean == pytest.approx(0.5)
    assert found["precision"].fused.mean == pytest.approx(2 / 3)
    assert found["f1"].fused.mean == pytest.approx(0.8)
    assert found["r_fa"].gain.mean == pytest.approx(0.5)


def test_disjoint_sets_are_averaged_and_a_rest_is_left(asked):
    lists = [(IDS[0],), (IDS[1],), (IDS[0],), (IDS[0],), (IDS[5],)]
    opened = [environment(asked.tasks[0], seed=presentation_seed(0)) for _ in lists]
    lived = [episode(one, sample, *cited) for sample, (one, cited) in enumerate(zip(opened, lists, strict=True))]
    found, _ = fusion(asked, lived[::-1], 2)
    assert found["recall"].fused.mean == pytest.approx((1.0 + 0.5) / 2)


def test_a_task_with_too_few_valid_episodes_is_counted(asked):
    opened = environment(asked.tasks[0], seed=presentation_seed(0))
    broken = episode(environment(asked.tasks[0], seed=presentation_seed(0)), 1, IDS[0])
    broken.outcome = Invalid("engine", "gone")
    assert fusion(asked, [episode(opened, 0, IDS[0]), broken], 2) == ({}, 1)
