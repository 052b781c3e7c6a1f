"""Sampling is inverse CDF, and the log-prob is that of the distribution sampled from."""

import math

import pytest
import torch

from trivium.episode import EngineError
from trivium.policy.local.sampler import sample

LOGITS = torch.tensor([[math.log(p) for p in (0.1, 0.4, 0.2, 0.3)]])


def one(uniform, temperature=1.0, top_p=1.0):
    (token,), (logprob,) = sample(LOGITS, [temperature], [top_p], [uniform])
    return token, logprob


def test_the_uniform_picks_the_token():
    assert [one(u)[0] for u in (0.0, 0.099, 0.101, 0.499, 0.501, 0.699, 0.701, 1 - 2**-53)] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert math.exp(one(0.2)[1]) == pytest.approx(0.4)


def test_frequencies_are_the_probabilities():
    count = 20_000
    generator = torch.Generator().manual_seed(0)
    uniforms = torch.rand(count, generator=generator, dtype=torch.float64).tolist()
    tokens, _ = sample(LOGITS.expand(count, 4), [1.0] * count, [1.0] * count, uniforms)
    shares = torch.bincount(torch.tensor(tokens), minlength=4) / count
    assert torch.allclose(shares, torch.tensor([0.1, 0.4, 0.2, 0.3]), atol=0.015)


def test_temperature_is_part_of_the_log_prob():
    total = sum(p**2 for p in (0.1, 0.4, 0.2, 0.3))
    assert math.exp(one(0.5, temperature=0.5)[1]) == pytest.approx(0.4**2 / total)


def test_top_p_gives_the_log_prob_of_the_truncated_distribution():
    assert one(0.0, top_p=0.5) == (1, pytest.approx(math.log(0.4 / 0.7)))
    assert one(1 - 2**-53, top_p=0.5) == (3, pytest.approx(math.log(0.3 / 0.7)))
    assert one(0.99, top_p=0.01) == (1, pytest.approx(0.0))


def test_temperature_zero_takes_the_likeliest_and_is_certain():
    assert one(0.99, temperature=0.0) == (1, 0.0)


def test_rows_are_independent_of_their_neighbours():
    logits = torch.cat([LOGITS, LOGITS, LOGITS])
    tokens, logprobs = sample(logits, [1.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.701, 0.0, 0.0])
    alone = [one(0.701), one(0.0, 0.0), one(0.0, 0.5, 0.5)]
    assert list(zip(tokens, logprobs, strict=True)) == [(token, pytest.approx(value)) for token, value in alone]


def test_a_token_of_probability_zero_is_never_drawn():
    logits = torch.tensor([[float("-inf"), 0.0, float("-inf")]])
    for uniform in (0.0, 0.5, 1 - 2**-53):
        assert sample(logits, [1.0], [1.0], [uniform]) == ([1], [0.0])


def test_logits_that_are_not_finite_are_an_error():
    with pytest.raises(EngineError, match="row 1"):
        sample(torch.tensor([[0.0, 1.0], [float("nan"), 0.0]]), [1.0] * 2, [1.0] * 2, [0.5] * 2)
