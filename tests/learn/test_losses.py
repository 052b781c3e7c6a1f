import math

import pytest
import torch

from trivium.episode import ConfigError
from trivium.learn import Cispo, Likelihood, Reinforce


def grad_of(loss, logp, behaviour, advantage):
    logp_N = torch.tensor(logp, dtype=torch.float64, requires_grad=True)
    result = loss(logp_N, torch.tensor(behaviour, dtype=torch.float64), torch.tensor(advantage, dtype=torch.float64))
    result.loss_N.sum().backward()
    return result, logp_N.grad.tolist()


def test_cispo_is_reinforce_where_the_policy_is_the_behaviour():
    logp, advantage = [-0.1, -2.0, -7.0], [1.0, -0.5, 2.0]
    cispo, a = grad_of(Cispo(0.0, 5.0), logp, logp, advantage)
    reinforce, b = grad_of(Reinforce(), logp, logp, advantage)
    assert a == b == [-1.0, 0.5, -2.0]
    assert cispo.loss_N.tolist() == reinforce.loss_N.tolist()


def test_the_weight_is_the_ratio_and_carries_no_gradient():
    _, grad = grad_of(Cispo(0.0, 5.0), [-1.0], [-2.0], [1.0])
    assert grad == pytest.approx([-math.e])


def test_a_clipped_token_keeps_its_gradient():
    result, grad = grad_of(Cispo(0.0, 5.0), [-0.5, -9.0], [-9.0, -0.5], [1.0, 1.0])
    assert grad[0] == -5.0
    assert grad[1] == pytest.approx(-math.exp(-8.5))
    assert result.clipped_N.tolist() == [True, False]


def test_the_lower_bound_is_used():
    result, grad = grad_of(Cispo(0.5, 5.0), [-9.0], [-0.5], [1.0])
    assert grad == [-0.5]
    assert result.clipped_N.tolist() == [True]


def test_a_ratio_that_overflows_is_clipped():
    result, grad = grad_of(Cispo(0.0, 5.0), [-1.0], [-5000.0], [1.0])
    assert grad == [-5.0]
    assert torch.isfinite(result.loss_N).all()


def test_the_sign_raises_what_was_good():
    _, grad = grad_of(Cispo(0.0, 5.0), [-1.0, -1.0], [-1.0, -1.0], [1.0, -1.0])
    assert grad[0] < 0 < grad[1]


def test_likelihood_ignores_behaviour():
    assert not Likelihood().reads_behaviour
    _, grad = grad_of(Likelihood(), [-1.0], [0.0], [1.0])
    assert grad == [-1.0]


@pytest.mark.parametrize(("lo", "hi"), [(-0.1, 5.0), (0.0, 0.5), (2.0, 5.0)])
def test_a_range_without_one_is_refused(lo, hi):
    with pytest.raises(ConfigError, match="clip range"):
        Cispo(clip_low=lo, clip_high=hi)
