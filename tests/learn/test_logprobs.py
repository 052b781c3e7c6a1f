"""Log-probs a run of places at a time are those of all places at once."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.learn import Share, cut
from trivium.learn import logprobs as module
from trivium.learn.layout import segment_layout, tree_layout
from trivium.learn.trained_tokens import weighted_segments

from . import small


@pytest.mark.parametrize("layout", [segment_layout, tree_layout], ids=["segments", "trees"])
@settings(max_examples=8)
@given(places=st.integers(1, 9), seed=st.integers(0, 99))
def test_runs_of_places_change_nothing_but_what_is_held(layout, places, seed):
    net = small.model("qwen2", torch.float64)
    lived = [small.episode(net, seed + number % 2, turns=2) for number in range(3)]
    shares = [Share(f"{number}", 1.0, cut(episode, "policy").segments) for number, episode in enumerate(lived)]
    laid = layout(net, 10_000)
    found, held = [], []
    for chunk in (module.CHUNK, places * net.config.vocab_size):
        (micro,) = laid.micro_batches(weighted_segments(shares))
        net.zero_grad()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "CHUNK", chunk)
            said = module.read(net, micro, spied(laid.predict, held))
            (said.logp_N * torch.arange(len(said.logp_N))).sum().backward()
        found.append((said, small.gradients(net)))
    (one, one_grad), (two, two_grad) = found
    assert torch.allclose(one.logp_N, two.logp_N, rtol=0, atol=1e-12)
    assert torch.allclose(one.entropy_N, two.entropy_N, rtol=0, atol=1e-12)
    for name, grad in one_grad.items():
        assert torch.allclose(grad, two_grad[name], rtol=1e-9, atol=1e-11), name
    assert max(held[1:]) <= places < held[0]


def spied(predict, held):
    """The same predictions; `held` gets the rows of every call of the head."""

    def told(model, micro):
        said = predict(model, micro)

        def head(hidden):
            held.append(len(hidden))
            return said.head(hidden)

        return type(said)(said.hidden_UD, head)

    return told
