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
    found, held = [], {}
    for chunk in (module.CHUNK, places * net.config.vocab_size):
        net.zero_grad()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "CHUNK", chunk)
            micro_batches = laid.micro_batches(weighted_segments(shares))
            said = [module.read(net, micro, spied(laid.predict, held.setdefault(chunk, []))) for micro in micro_batches]
            sum((one.logp_N * torch.arange(len(one.logp_N))).sum() for one in said).backward()
        values = torch.cat([torch.stack([one.logp_N, one.entropy_N]) for one in said], 1).detach()
        found.append((values, small.gradients(net)))
    (whole, one_grad), (runs, two_grad) = found
    assert torch.allclose(whole, runs, rtol=0, atol=1e-12)
    for name, grad in one_grad.items():
        assert torch.allclose(grad, two_grad[name], rtol=1e-9, atol=1e-11), name
    assert max(held[places * net.config.vocab_size]) <= places


def spied(predict, held):
    """The same predictions; `held` gets the rows of every call of the head."""

    def told(model, micro):
        said = predict(model, micro)

        def head(hidden):
            held.append(len(hidden))
            return said.head(hidden)

        return type(said)(said.hidden_UD, head)

    return told
