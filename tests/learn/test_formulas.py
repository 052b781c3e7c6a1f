"""Every loss against its formula, written out over plain numbers and differentiated by finite differences."""

import math

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from trivium.learn import K25, Cispo, Kl, Ppo, Reinforce, Truncated
from trivium.learn.losses.base import LARGEST_LOG_RATIO

H = 1e-6
LOGP = st.floats(-8, -0.01)
LOG_RATIO = st.floats(-3, 3)
ADVANTAGE = st.floats(-3, 3, allow_subnormal=False)
TOKENS = st.lists(st.tuples(LOGP, LOG_RATIO, ADVANTAGE), min_size=1, max_size=6)


def clip(value, lo, hi):
    return min(max(value, lo), hi)


def cispo(logp, held, behaviour, advantage):
    return -clip(math.exp(held - behaviour), 0.2, 3.0) * advantage * logp


def ppo(logp, held, behaviour, advantage):
    ratio = math.exp(logp - behaviour)
    return -min(ratio * advantage, clip(ratio, 0.8, 1.28) * advantage)


def k25(logp, held, behaviour, advantage):
    ratio = math.exp(logp - behaviour)
    return -(clip(ratio, 0.5, 2.0) * advantage - 0.3 * math.log(ratio) ** 2)


def reinforce(logp, held, behaviour, advantage):
    return -advantage * logp


FORMULAS = [
    (Cispo(0.2, 3.0), cispo, (0.2, 3.0)),
    (Ppo(0.8, 1.28), ppo, (0.8, 1.28)),
    (K25(0.5, 2.0, 0.3), k25, (0.5, 2.0)),
    (Reinforce(), reinforce, ()),
]
NAMES = [formula.__name__ for _, formula, _ in FORMULAS]


def by_autograd(loss, logp, behaviour, advantage):
    logp_N = torch.tensor(logp, dtype=torch.float64, requires_grad=True)
    told = loss(logp_N, torch.tensor(behaviour, dtype=torch.float64), torch.tensor(advantage, dtype=torch.float64))
    told.loss_N.sum().backward()
    return told, logp_N.grad.tolist()


@pytest.mark.parametrize(("loss", "formula", "bounds"), FORMULAS, ids=NAMES)
@given(tokens=TOKENS)
def test_value_and_gradient_are_those_of_the_formula(loss, formula, bounds, tokens):
    assume(all(abs(math.exp(x) - bound) > 1e-4 for _, x, _ in tokens for bound in bounds))
    logp, advantage = [t[0] for t in tokens], [t[2] for t in tokens]
    behaviour = [t[0] - t[1] for t in tokens]
    told, grad = by_autograd(loss, logp, behaviour, advantage)
    for n, (now, was, gain) in enumerate(zip(logp, behaviour, advantage, strict=True)):
        assert told.loss_N.tolist()[n] == pytest.approx(formula(now, now, was, gain), rel=1e-9, abs=1e-12)
        slope = (formula(now + H, now, was, gain) - formula(now - H, now, was, gain)) / (2 * H)
        assert grad[n] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("loss", [loss for loss, _, _ in FORMULAS], ids=NAMES)
@given(tokens=st.lists(st.tuples(LOGP, ADVANTAGE), min_size=1, max_size=6))
def test_at_ratio_one_every_loss_is_the_plain_policy_gradient(loss, tokens):
    logp, advantage = [t[0] for t in tokens], [t[1] for t in tokens]
    told, grad = by_autograd(loss, logp, logp, advantage)
    assert grad == [-gain for gain in advantage]
    assert not told.clipped_N.any()


@given(x=LOG_RATIO, advantage=ADVANTAGE)
def test_k25_masks_the_policy_gradient_for_both_signs_and_keeps_the_pull(x, advantage):
    assume(not 0.5 <= math.exp(x) <= 2)
    told, grad = by_autograd(K25(0.5, 2.0, 0.1), [-1.0], [-1.0 - x], [advantage])
    assert grad == pytest.approx([0.2 * x])
    assert told.clipped_N.all()


@given(x=LOG_RATIO, advantage=ADVANTAGE)
def test_ppo_clips_only_what_its_advantage_pushed_out(x, advantage):
    ratio = math.exp(x)
    assume(min(abs(ratio - 0.8), abs(ratio - 1.28), abs(advantage)) > 1e-3)
    told, grad = by_autograd(Ppo(0.8, 1.28), [-1.0], [-1.0 - x], [advantage])
    out = ratio > 1.28 if advantage > 0 else ratio < 0.8
    assert told.clipped_N.tolist() == [out]
    assert grad == pytest.approx([0.0 if out else -ratio * advantage])


@pytest.mark.parametrize("loss", [Cispo(0.0, 5.0), Ppo(0.8, 1.2), K25(0.5, 2.0, 0.1)], ids=["cispo", "ppo", "k25"])
@pytest.mark.parametrize("advantage", [1.0, -1.0])
@pytest.mark.parametrize("behaviour", [-5000.0, 5000.0])
def test_a_ratio_beyond_all_numbers_has_a_finite_gradient(loss, advantage, behaviour):
    for dtype in (torch.float32, torch.float64):
        logp_N = torch.tensor([-1.0], dtype=dtype, requires_grad=True)
        loss(logp_N, logp_N.detach() * -behaviour, logp_N.detach() * -advantage).loss_N.sum().backward()
        assert torch.isfinite(logp_N.grad).all()


@given(tokens=TOKENS, cap=st.floats(1, 5))
def test_truncated_weights_are_those_of_the_formula_and_carry_no_gradient(tokens, cap):
    anchor_N = torch.tensor([t[0] for t in tokens], dtype=torch.float64, requires_grad=True)
    behaviour_N = torch.tensor([t[0] - t[1] for t in tokens], dtype=torch.float64)
    weight_N, truncated_N = Truncated(cap)(anchor_N, behaviour_N)
    assert not weight_N.requires_grad
    for n, (logp, x, _) in enumerate(tokens):
        ratio = math.exp(logp - (logp - x))
        assert float(weight_N[n]) == pytest.approx(min(ratio, cap))
        assert bool(truncated_N[n]) == (ratio > cap)


ESTIMATES = {"k1": lambda x: x, "k2": lambda x: x * x / 2, "k3": lambda x: math.exp(-x) - 1 + x}


@pytest.mark.parametrize("name", ESTIMATES)
@given(logp=LOGP, x=st.floats(-6, 6))
def test_estimates_are_those_of_the_formula(name, logp, x):
    logp_N = torch.tensor([logp], dtype=torch.float64, requires_grad=True)
    value_N = Kl(name, 1.0)(logp_N, torch.tensor([logp - x], dtype=torch.float64))
    value_N.sum().backward()
    assert value_N.item() == pytest.approx(ESTIMATES[name](x), abs=1e-9)
    slope = (ESTIMATES[name](x + H) - ESTIMATES[name](x - H)) / (2 * H)
    assert logp_N.grad.item() == pytest.approx(slope, rel=1e-5, abs=1e-6)


@given(logp=LOGP, x=st.floats(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO))
def test_k3_is_never_negative(logp, x):
    for dtype in (torch.float32, torch.float64):
        logp_N, reference_N = torch.tensor([logp], dtype=dtype), torch.tensor([logp - x], dtype=dtype)
        assert Kl("k3", 1.0)(logp_N, reference_N).item() >= 0
