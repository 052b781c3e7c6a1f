"""The objective as a whole: penalties on a small categorical, where expectations are sums, and truncated weights."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import ConfigError
from trivium.learn import Cispo, Kl, Likelihood, Objective, Ppo, Reinforce, Truncated
from trivium.learn.trained_tokens import TrainedTokens

LOGITS = st.lists(st.floats(-2, 2), min_size=4, max_size=4)
B = 0.7


def tokens(behaviour_N, advantage_N):
    """Trained tokens of which only these are known."""
    places = torch.arange(len(behaviour_N))
    return TrainedTokens(
        segments=(), row_N=places, column_N=places, target_N=places, behaviour_N=behaviour_N, advantage_N=advantage_N
    )


def expected_gradient(theta, reference, loss_of):
    """sum_a pi(a) grad loss(a): the gradient that samples of pi give in expectation."""
    theta_V = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
    logp_V = theta_V.log_softmax(-1)
    (
        logp_V.detach().exp() * loss_of(logp_V, torch.tensor(reference, dtype=torch.float64).log_softmax(-1))
    ).sum().backward()
    return theta_V.grad


def kl_gradient(theta, reference, *, forward):
    """The gradient of the exact KL: of pi from the reference, or (forward) of the reference from pi."""
    theta_V = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
    logp_V, ref_V = theta_V.log_softmax(-1), torch.tensor(reference, dtype=torch.float64).log_softmax(-1)
    exact = (ref_V.exp() * (ref_V - logp_V)).sum() if forward else (logp_V.exp() * (logp_V - ref_V)).sum()
    exact.backward()
    return theta_V.grad


def penalised(estimator):
    def loss_of(logp_V, ref_V):
        trained = tokens(logp_V.detach(), torch.zeros_like(ref_V))
        return Objective(Reinforce(), kl=Kl(estimator, B))(logp_V, trained, reference_N=ref_V).loss_N

    return loss_of


@pytest.mark.parametrize("estimator", ["k1", "k2"])
@given(theta=LOGITS, reference=LOGITS)
def test_k1_in_the_advantage_and_k2_in_the_loss_follow_the_kl(estimator, theta, reference):
    found = expected_gradient(theta, reference, penalised(estimator))
    assert torch.allclose(found, B * kl_gradient(theta, reference, forward=False), atol=1e-12)


@given(theta=LOGITS, reference=LOGITS)
def test_k3_in_the_loss_follows_the_other_kl(theta, reference):
    found = expected_gradient(theta, reference, penalised("k3"))
    assert torch.allclose(found, B * kl_gradient(theta, reference, forward=True), atol=1e-12)


@given(theta=LOGITS, reference=LOGITS)
def test_k1_as_a_loss_would_do_nothing(theta, reference):
    assert torch.allclose(expected_gradient(theta, reference, Kl("k1", B)), torch.zeros(4).double(), atol=1e-12)


def values(*numbers, grad=False):
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=grad)


def test_k1_shifts_the_advantage_by_a_constant_and_is_told():
    logp_N, reference_N = values(-1.0, -2.0, grad=True), values(-1.5, -1.0)
    terms = Objective(Reinforce(), kl=Kl("k1", 0.1))(
        logp_N, tokens(logp_N.detach(), values(2.0, -1.0)), reference_N=reference_N
    )
    terms.loss_N.sum().backward()
    assert logp_N.grad.tolist() == pytest.approx([-(2.0 - 0.1 * 0.5), -(-1.0 + 0.1 * 1.0)])
    assert terms.kl_N.tolist() == pytest.approx([0.5, -1.0])
    assert not terms.kl_N.requires_grad


def test_truncated_weights_multiply_the_loss_and_not_the_penalty():
    logp_N, behaviour_N, anchor_N = values(-1.0, -1.0, grad=True), values(-3.0, -1.1), values(-1.2, -1.2)
    trained = tokens(behaviour_N, values(1.0, 1.0))
    objective = Objective(Ppo(0.5, 1.5), Truncated(2.0), Kl("k2", 0.1))
    terms = objective(logp_N, trained, anchor_N=anchor_N, reference_N=values(-2.0, -1.0))
    weight = [2.0, values(-0.1).exp().item()]
    ratio = values(0.2).exp().item()
    assert terms.loss_N.tolist() == pytest.approx([-weight[0] * ratio + 0.05, -weight[1] * ratio])
    assert terms.truncated_N.tolist() == [True, False]


def test_before_the_first_update_the_anchor_is_the_learner_itself():
    logp_N, trained = values(-1.0, grad=True), tokens(values(-3.0), values(1.0))
    terms = Objective(Cispo(0.0, 5.0), Truncated(2.0))(logp_N, trained)
    terms.loss_N.sum().backward()
    assert logp_N.grad.tolist() == [-2.0]
    assert not terms.clipped_N.any(), "the ratio of the loss is 1"


def test_without_terms_there_is_nothing_to_tell():
    terms = Objective(Cispo(0.0, 5.0))(values(-1.0), tokens(values(-1.0), values(1.0)))
    assert terms.kl_N is None
    assert terms.truncated_N is None


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ConfigError, match="need behaviour log-probs"):
        Objective(Likelihood(), Truncated(2.0))
    with pytest.raises(ConfigError, match=r"truncated at 0\.5 .* give 1 or more"):
        Truncated(0.5)
    with pytest.raises(ConfigError, match="would pay for drift"):
        Kl("k1", -0.1)
    assert not Objective(Cispo(0.0, 5.0), kl=Kl("k1", 0.0)).reads_reference
