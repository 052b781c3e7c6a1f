import pytest
import torch

from trivium.learn import Likelihood, demonstrations

from . import small


@pytest.fixture
def net():
    return small.model()


def test_every_token_weighs_the_same_whatever_its_row(net):
    batch = demonstrations([small.episode(net, seed, turns=turns) for seed, turns in ((0, 1), (1, 4))])
    rows = [row for share in batch.shares for row in share.segments]
    expected = []
    for row in rows:
        logp = net(input_ids=torch.tensor(row.tokens_T)[None]).logits[0].log_softmax(-1)
        expected += [-float(logp[t - 1, row.tokens_T[t]].detach()) for t in range(len(row)) if row.mask_T[t]]
    report = small.learner(net, small.adamw(), Likelihood(), substeps=1).step(batch)
    assert len({row.trained for row in rows}) == 2
    assert report.substeps[0].loss == pytest.approx(sum(expected) / len(expected), rel=1e-5)
    assert report.parity is None
    assert report.substeps[0].parity is None


def test_demonstrations_are_learned_by_heart(net):
    batch = demonstrations([small.episode(net, seed) for seed in range(2)])
    learner = small.learner(net, small.adamw(lr=2e-2), Likelihood(), substeps=1)
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
