import pytest
import torch

from trivium.episode import DataError
from trivium.learn import AdamW, Learner, Likelihood, demonstrations, imitation, row

from . import small


@pytest.fixture
def net():
    return small.model()


def test_every_token_weighs_the_same_whatever_its_row(net):
    rows = [
        row("short", [1, 2, 3], [False, False, True]),
        row("long", [4, 5, 6, 7, 8], [False, True, True, True, True]),
    ]
    learner = Learner(net, AdamW(), Likelihood(), substeps=1)
    report = learner.step(imitation(rows))
    expected = []
    fresh = small.model()
    for one in rows:
        logp = fresh(input_ids=torch.tensor(one.tokens_T)[None]).logits[0].log_softmax(-1)
        expected += [-float(logp[t - 1, one.tokens_T[t]].detach()) for t in range(len(one)) if one.mask_T[t]]
    assert report.substeps[0].loss == pytest.approx(sum(expected) / 5, rel=1e-5)
    assert report.parity is None
    assert report.substeps[0].parity is None


def test_demonstrations_are_learned_by_heart(net):
    batch = demonstrations([small.episode(net, seed) for seed in range(2)])
    learner = Learner(net, AdamW(lr=2e-2), Likelihood(), substeps=1)
    losses = [learner.step(batch).substeps[0].loss for _ in range(15)]
    assert losses[-1] < losses[0] / 4


def test_teachers_need_no_log_probs_and_no_temperature(net):
    episode = small.episode(net, 0)
    small.Context(episode.tree, episode.main.tip).append(
        small.action([1, 2], [float("nan"), 0.0], policy="teacher", temperature=0.0)
    )
    everyone, teacher = demonstrations([episode]), demonstrations([episode], "teacher")
    assert everyone.trained == teacher.trained + teacher.counts["tokens skipped, other policy: policy"]
    assert teacher.trained == 2


def test_masks_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="mask of 1"):
        row("r", [1, 2], [True])
    with pytest.raises(DataError, match="first token"):
        row("r", [1, 2], [True, True])
