import pytest
import torch

from trivium.learn import cut, parity
from trivium.learn.batch import Share
from trivium.learn.forward import unsupported
from trivium.learn.layout import fast_predictions, reference_predictions, segment_layout
from trivium.learn.logprobs import Read, read
from trivium.learn.segment_batch import collate_segments, pack_segments
from trivium.learn.trained_tokens import weighted_segments

from . import small


def micro_of(episodes, dtype=torch.float32):
    shares = [Share(e.id, 1.0, cut(e, "policy").segments) for e in episodes]
    return collate_segments(weighted_segments(shares), dtype=dtype, device=torch.device("cpu"))


@pytest.mark.parametrize("family", small.FAMILIES)
def test_our_forward_equals_hugging_faces_in_value_and_gradient(family):
    net = small.model(family)
    micro = micro_of([small.episode(net, seed, prune_after=1) for seed in range(3)])
    found = []
    for path in (fast_predictions, reference_predictions):
        net.zero_grad()
        said = read(net, micro, path)
        (said.logp_N * torch.linspace(-1, 1, len(said.logp_N))).sum().backward()
        found.append((Read(said.logp_N.detach(), said.entropy_N), small.gradients(net)))
    (own, own_grad), (theirs, their_grad) = found
    assert float((own.logp_N - theirs.logp_N).abs().max()) < 1e-5
    assert float((own.entropy_N - theirs.entropy_N).abs().max()) < 1e-5
    assert own_grad.keys() == their_grad.keys()
    for name, grad in own_grad.items():
        assert float((grad - their_grad[name]).abs().max()) < 1e-5 * max(1.0, float(their_grad[name].abs().max())), name


def test_gradients_are_those_of_the_formulas():
    net = small.model("qwen3", torch.float64)
    micro = micro_of([small.episode(net, 0, turns=2)], torch.float64)
    weights = [p for n, p in net.named_parameters() if "layers.0" in n]

    def loss():
        return read(net, micro, fast_predictions).logp_N.sum()

    loss().backward()
    net.requires_grad_(False)
    for weight in weights:
        direction = torch.randn_like(weight)
        slope = float((weight.grad * direction).sum())
        step = 1e-6
        with torch.no_grad():
            weight.add_(step * direction)
            above = loss()
            weight.sub_(2 * step * direction)
            below = loss()
            weight.add_(step * direction)
        assert float(above - below) / (2 * step) == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("family", small.FAMILIES)
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_parity_with_the_engine_at_the_sampled_temperature(family, temperature):
    net = small.model(family)
    done = cut(small.episode(net, 3, turns=4, prune_after=1, temperature=temperature), "policy")
    assert len(done.segments) == 2
    assert parity(net, done.segments) < 1e-5


def test_other_weights_have_no_parity():
    done = cut(small.episode(small.model(seed=0), 3), "policy")
    assert parity(small.model(seed=1), done.segments) > 1e-2


@pytest.mark.parametrize("family", small.FAMILIES)
def test_the_three_families_take_our_forward(family):
    assert segment_layout(small.model(family), 1).predict is fast_predictions


def test_what_is_not_on_the_allow_list_takes_its_own_forward():
    net = small.model("qwen2")
    net.config.use_sliding_window = True
    assert "sliding-window" in unsupported(net)
    assert segment_layout(net, 1).predict is reference_predictions
    net = small.model("qwen2")
    net.model.layers[0].self_attn.q_proj = torch.nn.Sequential(net.model.layers[0].self_attn.q_proj)
    assert "q_proj is not a plain Linear" in unsupported(net)
    assert "Linear is not one of" in unsupported(torch.nn.Linear(1, 1))


def test_padding_is_bounded_and_every_row_appears_once():
    net = small.model()
    shares = [
        Share(e.id, 1.0, cut(e, "policy").segments) for e in (small.episode(net, s, turns=1 + s % 5) for s in range(12))
    ]
    segments = weighted_segments(shares)
    packs = list(pack_segments(segments, 60))
    assert [one for members in packs for one in members] == segments
    for members in packs:
        area = len(members) * max(len(m.segment) for m in members)
        assert len(members) == 1 or area <= 60
        assert sum(len(m.segment) for m in members) >= 0.85 * area


def test_garbage_in_masked_log_probs_is_never_read():
    net = small.model()
    (segment,) = cut(small.episode(net, 1), "policy").segments
    segment.behaviour_T[~segment.mask_T] = float("nan")
    assert parity(net, [segment]) < 1e-5
