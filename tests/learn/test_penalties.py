"""The learner with every loss, penalty and weight: equal by both layouts, and against a plain loop."""

import dataclasses

import numpy as np
import pytest
import torch

from trivium.learn import (
    K25,
    Batch,
    Cispo,
    Kl,
    Ppo,
    Reinforce,
    Truncated,
    make_batch,
)
from trivium.learn.trained_tokens import weighted_segments

from . import small


@pytest.fixture(scope="module")
def batch():
    """Pruned episodes, whose log-probs are moved as if by an engine that computes something else."""
    net, rng = small.model(dtype=torch.float64), np.random.default_rng(0)
    episodes = [small.episode(net, s, turns=1 + s % 3, prune_after=s % 2 or None, group=f"g{s // 2}") for s in range(4)]
    made = make_batch(episodes, "policy")

    def moved(segment):
        noise_T = rng.normal(0, 0.4, len(segment)) * segment.mask_T
        return dataclasses.replace(segment, behaviour_T=segment.behaviour_T + noise_T)

    shares = tuple(dataclasses.replace(s, segments=tuple(map(moved, s.segments))) for s in made.shares)
    return Batch(shares, made.denominator)


def learner(loss=None, layout="segments", **keys):
    """A learner whose weights have left its reference."""
    net = small.model(dtype=torch.float64)
    made = small.learner(net, small.adamw(lr=1e-2), loss, layout=layout, **keys)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.03 * torch.randn_like(parameter))
    return made


def gradients(batch, *args, **keys):
    made = learner(*args, **keys)
    sums = made.accumulate(batch)
    return small.gradients(made.model), sums


def assert_same(one, two, rel=1e-10):
    scale = max(float(g.abs().max()) for g in one.values())
    assert scale > 0
    for name, grad in one.items():
        assert float((grad - two[name]).abs().max()) <= rel * scale, name


LOSSES = {"cispo": Cispo(0.0, 5.0), "ppo": Ppo(0.9, 1.1), "k25": K25(0.8, 1.25, 0.1), "reinforce": Reinforce()}
EXTRAS = {"plain": {}, "truncated": {"truncated": Truncated(1.1)}} | {k: {"kl": Kl(k, 0.3)} for k in ("k1", "k2", "k3")}


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("loss", LOSSES)
def test_trees_give_the_gradient_of_segments(batch, loss, extra):
    by_rows, rows = gradients(batch, LOSSES[loss], "segments", **EXTRAS[extra])
    by_trees, trees = gradients(batch, LOSSES[loss], "trees", **EXTRAS[extra], micro_tokens=40)
    assert_same(by_rows, by_trees)
    assert (rows.clipped, rows.truncated, rows.tokens) == (trees.clipped, trees.truncated, trees.tokens)
    assert (rows.kl or 0.0) == pytest.approx(trees.kl or 0.0, rel=1e-9)
    assert (rows.kl is not None) == ("kl" in EXTRAS[extra])


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
def test_the_penalty_is_that_of_a_plain_loop_over_both_models(batch, estimator):
    made = learner(Reinforce(), kl=Kl(estimator, 0.3))
    sums = made.accumulate(batch)
    found = small.gradients(made.model)
    made.model.zero_grad()
    start, total, told = small.model(dtype=torch.float64), 0.0, 0.0
    for row in weighted_segments(batch.shares):
        logp_N, reference_N = (logprobs(net, row.segment) for net in (made.model, start))
        x_N = logp_N - reference_N.detach()
        value_N = {"k1": x_N, "k2": x_N**2 / 2, "k3": torch.exp(-x_N) - 1 + x_N}[estimator]
        gain_N = row.advantage - (0.3 * x_N.detach() if estimator == "k1" else 0.0)
        total = total - (gain_N * logp_N).sum() + (0.0 if estimator == "k1" else 0.3 * value_N.sum())
        told += float(value_N.detach().sum())
    (total / batch.denominator).backward()
    assert_same(found, small.gradients(made.model), rel=1e-5)  # Hugging Face's norms compute in fp32
    assert sums.kl == pytest.approx(told, rel=1e-5)


def logprobs(net, segment):
    logp_TV = net(input_ids=torch.from_numpy(segment.tokens_T)[None]).logits[0].log_softmax(-1)
    places = torch.from_numpy(np.flatnonzero(segment.mask_T))
    return logp_TV[places - 1, torch.from_numpy(segment.tokens_T)[places]]


def test_nothing_reaches_the_reference_and_a_coefficient_of_0_holds_none(batch):
    made = learner(kl=Kl("k3", 1.0), substeps=2)
    before = [p.clone() for p in made.reference.parameters()]
    report = made.step(batch)
    assert all(torch.equal(a, b) for a, b in zip(before, made.reference.parameters(), strict=True))
    assert all(p.grad is None and not p.requires_grad for p in made.reference.parameters())
    assert report.kl > 0
    assert learner(kl=Kl("k3", 0.0)).reference is None
    assert learner().step(batch).kl is None


def test_at_the_start_weights_a_penalty_changes_nothing(batch):
    def start(**keys):
        net = small.model(dtype=torch.float64)
        small.learner(net, small.adamw(), Reinforce(), **keys).accumulate(batch)
        return small.gradients(net)

    for estimator in ("k1", "k2", "k3"):
        assert_same(start(), start(kl=Kl(estimator, 10.0)), rel=1e-9)


def test_truncated_weights_stay_those_before_the_first_update(batch):
    """Two sub-steps against a plain loop that reads every log-prob before it steps; Adam would magnify rounding."""
    made, plain = (learner(Ppo(0.99, 1.01), truncated=Truncated(1.2), substeps=2) for _ in range(2))
    for one in (made, plain):
        one.config = dataclasses.replace(one.config, lr=0.3)
        one.optimiser = torch.optim.SGD(one.model.parameters(), lr=0.3)
    report = made.step(batch)
    parts = batch.parts(2)
    anchors = [
        [logprobs(plain.model, row.segment).detach() for row in weighted_segments(part.shares)] for part in parts
    ]
    for part, anchor in zip(parts, anchors, strict=True):
        plain.optimiser.zero_grad()
        for row, anchor_N in zip(weighted_segments(part.shares), anchor, strict=True):
            behaviour_N = torch.from_numpy(row.segment.behaviour_T[row.segment.mask_T])
            ratio_N = (logprobs(plain.model, row.segment) - anchor_N).exp()
            weight_N = (anchor_N - behaviour_N).exp().clamp(max=1.2)
            surrogate_N = torch.minimum(ratio_N * row.advantage, ratio_N.clamp(0.99, 1.01) * row.advantage)
            (-(weight_N * surrogate_N).sum() / part.denominator).backward()
        torch.nn.utils.clip_grad_norm_(plain.model.parameters(), 1.0)
        plain.optimiser.step()
    for one, two in zip(made.model.parameters(), plain.model.parameters(), strict=True):
        assert float((one - two).detach().abs().max()) < 1e-6
    assert 0 < report.truncated < 1
    assert report.substeps[0].clipped == 0
    assert report.substeps[1].clipped > 0
