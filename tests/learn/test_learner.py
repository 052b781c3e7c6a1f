import math

import pytest
import torch

from trivium.episode import ConfigError
from trivium.learn import Batch, Cispo, NonFiniteError, Share, make_batch
from trivium.learn.report import measure

from . import small


@pytest.fixture
def net():
    return small.model()


@pytest.fixture
def batch(net):
    return make_batch([small.episode(net, seed, prune_after=seed % 3) for seed in range(6)], "policy")


def before_after(net, act):
    before = [p.detach().clone() for p in net.parameters()]
    act()
    return [not torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True)]


def test_a_step_reports_parity_and_what_it_did(net, batch):
    report = small.learner(net, small.adamw(lr=1e-3), substeps=3).step(batch)
    assert len(report.substeps) == 3
    assert report.tokens_trained == batch.trained == sum(s.tokens for s in report.substeps)
    first = report.substeps[0].parity
    assert first.max_log_ratio < 1e-5
    assert first.ess == pytest.approx(1, abs=1e-6)
    assert first.k3 == pytest.approx(0, abs=1e-6)
    assert set(first.ratio) == {0.5, 0.9, 0.99, 0.999}
    assert report.substeps[2].parity.max_log_ratio > 1e-3, "ratios leave 1 from the second part on"
    assert report.parity.tokens == report.tokens_trained
    assert 0 < report.entropy <= math.log(small.VOCAB)
    assert report.grad_norm > 0
    assert report.tokens_read == sum(len(s) for share in batch.shares for s in share.segments)


def test_learning_raises_the_good_and_lowers_the_bad(net, batch):
    def logp(share):
        part = Batch((share,), 1.0)
        return -small.learner(net, small.adamw(), _Plain(0.0, 5.0)).accumulate(part).loss

    old = [logp(share) for share in batch.shares]
    small.learner(net, small.adamw(lr=1e-3), substeps=1).step(batch)
    moved = [(logp(share) - was) * share.advantage for share, was in zip(batch.shares, old, strict=True)]
    assert sum(moved) > 0
    assert moved[max(range(6), key=lambda i: abs(batch.shares[i].advantage))] > 0


class _Plain(Cispo):
    def __call__(self, logp_N, behaviour_N, advantage_N):
        return super().__call__(logp_N, logp_N.detach(), torch.ones_like(advantage_N))


def test_an_empty_batch_changes_nothing(net):
    constant = [small.episode(net, seed, reward=0.0) for seed in range(3)]
    batch = make_batch(constant, "policy")
    report = None

    def act():
        nonlocal report
        report = small.learner(net, small.adamw(lr=1.0)).step(batch)

    assert not any(before_after(net, act))
    assert report.substeps == ()
    assert report.parity is None
    assert report.entropy == report.grad_norm == report.clipped == 0
    assert report.counts["groups constant"] == 1


def test_completions_of_one_token_train(net):
    batch = make_batch([small.episode(net, seed, turns=1, longest=1) for seed in range(2)], "policy")
    assert batch.trained == 2
    assert all(before_after(net, lambda: small.learner(net, small.adamw(lr=1e-2)).step(batch)))


def test_a_stop_token_is_trained_even_where_it_pads(net):
    """Token 0 is what rows are padded with; sampled, it is a target like any other."""
    eos = small.action([3, 0], [-1.0, -1.0])
    other = small.action([3, 4, 5, 6], [-1.0] * 4)
    episodes = []
    for index, draft in enumerate((eos, other)):
        tree = small.Tree()
        small.Context(tree).append(small.text([1, 2])).append(draft)
        episodes.append(
            small.Episode(
                id=str(index),
                task=small.Task(id="t", prompt=""),
                group="g",
                seed=0,
                tree=tree,
                outcome=small.Scored(float(index)),
            )
        )
    batch = make_batch(episodes, "policy")
    assert batch.trained == 6
    assert small.learner(net, small.adamw(), substeps=1).step(batch).tokens_trained == 6


def test_weights_that_broke_are_named_and_nothing_is_stepped(net, batch):
    learner = small.learner(net, small.adamw(lr=1e-3))
    net.model.norm.weight.data[0] = math.nan
    with pytest.raises(NonFiniteError, match=r"token \d+ of a row of episode g-\d \(node \d+\) is nan"):
        learner.step(batch)
    assert learner.updates == 0
    assert not learner.optimiser.state


def test_a_gradient_that_overflows_is_named_and_nothing_is_stepped(net, batch):
    huge = tuple(Share(s.episode, s.advantage * 1e38, s.segments) for s in batch.shares)
    learner = small.learner(net, small.adamw(lr=1e-3), substeps=1)
    with pytest.raises(NonFiniteError):
        learner.step(Batch(huge, 1e-30))
    assert learner.updates == 0


def test_gradients_are_clipped_to_the_norm(net, batch):
    reports = []
    for clip in (1e9, 1e-3):
        fresh = small.model()
        learner = small.learner(fresh, small.adamw(clip_norm=clip), substeps=1)
        learner.optimiser.zero_grad = lambda **_: None
        reports.append(learner.step(batch).grad_norm)
        norm = torch.nn.utils.get_total_norm([p.grad for p in fresh.parameters()])
        assert float(norm) == pytest.approx(min(clip, reports[-1]), rel=1e-3)
    assert reports[0] == pytest.approx(reports[1])


def test_norms_and_biases_do_not_decay(net):
    decay, rest = small.adamw(weight_decay=0.1).build(net).param_groups
    assert decay["weight_decay"] == 0.1
    assert rest["weight_decay"] == 0
    assert all(p.dim() >= 2 for p in decay["params"])
    assert {id(p) for p in rest["params"]} == {
        id(p) for n, p in net.named_parameters() if "norm" in n or n.endswith("bias")
    }


def test_the_learning_rate_warms_up_and_falls():
    cosine = small.adamw(lr=1.0, warmup=4, schedule="cosine", total=14, floor=0.1)
    assert [cosine.rate(s) for s in range(4)] == [0.25, 0.5, 0.75, 1.0]
    assert cosine.rate(9) == pytest.approx(0.55)
    assert cosine.rate(14) == cosine.rate(99) == pytest.approx(0.1)
    assert small.adamw(lr=2.0).rate(0) == small.adamw(lr=2.0).rate(10**6) == 2.0


def test_settings_that_cannot_work_are_refused(net):
    with pytest.raises(ConfigError, match="cosine"):
        small.adamw(schedule="cosine")
    with pytest.raises(ConfigError, match="norm"):
        small.adamw(clip_norm=0.0)
    with pytest.raises(ConfigError, match="at least 1"):
        small.learner(net, small.adamw(), substeps=0)
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(ConfigError, match="no trainable parameter"):
        small.learner(net, small.adamw())


def test_parity_numbers_are_those_of_the_formulas():
    found = measure(torch.tensor([0.0, 0.0, 0.0, math.log(2.0)]))
    assert found.ess == pytest.approx(25 / (4 * 7))
    assert found.k3 == pytest.approx((1 - math.log(2.0)) / 4)
    assert found.max_log_ratio == pytest.approx(math.log(2.0))
    assert found.ratio[0.5] == pytest.approx(1.0)
    assert found.ratio[0.99] == pytest.approx(2.0)


def test_parity_of_ratios_beyond_all_numbers_is_finite():
    found = measure(torch.tensor([5000.0, -5000.0]))
    assert math.isfinite(found.k3)
    assert found.ess == pytest.approx(0.5)
