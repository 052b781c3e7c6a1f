"""What the layers compute in, and what they keep: bf16 copies of fp32 weights, and activation checkpointing."""

import pytest
import torch

from trivium.episode import ConfigError
from trivium.learn import Kl, Reinforce, make_batch
from trivium.learn.trained_tokens import weighted_segments

from . import small

BF16 = torch.bfloat16


@pytest.fixture(scope="module")
def batch():
    net = small.model()
    return make_batch([small.episode(net, seed, turns=2, prune_after=seed % 2 or None) for seed in range(4)], "policy")


def learner(**keys):
    return small.learner(small.model(), small.adamw(lr=keys.pop("lr", 1e-3)), Reinforce(), **keys)


def flat(made, batch):
    made.accumulate(batch)
    return torch.cat([gradient.flatten() for gradient in small.gradients(made.model).values()])


@pytest.mark.parametrize("layout", ["segments", "trees"])
def test_bf16_layers_give_nearly_the_gradient_of_fp32_to_fp32_weights(batch, layout):
    exact, narrow = flat(learner(layout=layout), batch), flat(learner(layout=layout, dtype=BF16), batch)
    assert narrow.dtype == torch.float32
    assert 0 < float((exact - narrow).norm() / exact.norm()) < 0.05


def test_an_update_below_the_resolution_of_bf16_is_not_lost(batch):
    made = learner(dtype=BF16, lr=1e-6, substeps=1)
    before = [p.detach().clone() for p in made.model.parameters()]
    for _ in range(3):
        made.step(batch)
    made.compute.refresh()
    for old, new, read in zip(before, made.model.parameters(), made.compute.model.parameters(), strict=True):
        assert new.dtype == torch.float32
        assert not torch.equal(old, new)
        assert torch.equal(read, new.to(BF16)), "what is read is the weights, rounded once"


def test_parity_is_told_for_both(batch):
    gaps = [learner(dtype=dtype).step(batch).substeps[0].parity.max_log_ratio for dtype in (torch.float32, BF16)]
    assert gaps[0] < 1e-5 < gaps[1] < 0.2


def test_logits_are_fp32_and_positions_are_not_rounded(batch):
    made = learner(dtype=BF16)
    micro_batch = next(made.layout.micro_batches(weighted_segments(batch.shares)))
    logits = made.layout.predict(made.compute.model, micro_batch).logits()
    assert logits.dtype == torch.float32
    assert not torch.equal(logits, logits.to(BF16).float())
    buffers = zip(made.model.buffers(), made.compute.model.buffers(), strict=True)
    assert all(torch.equal(one, two) for one, two in buffers)


def test_the_reference_is_read_as_the_policy_is(batch):
    made = learner(dtype=BF16, kl=Kl("k2", 1.0))
    assert next(made.reference.parameters()).dtype == BF16
    assert made.accumulate(batch).kl == 0


def kept_bytes(made, batch):
    """Bytes that the forward pass keeps for the backward pass."""
    total = 0

    def pack(tensor):
        nonlocal total
        total += tensor.nbytes
        return tensor

    micro_batch = next(made.layout.micro_batches(weighted_segments(batch.shares)))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made.layout.predict(made.compute.model, micro_batch).logits()
    return total


@pytest.mark.parametrize("layout", ["segments", "trees"])
def test_checkpointed_activations_give_the_same_bits_and_keep_less(batch, layout):
    plain, sparing = learner(layout=layout), learner(layout=layout, checkpoint_activations=True)
    assert torch.equal(flat(plain, batch), flat(sparing, batch))
    assert kept_bytes(sparing, batch) < 0.5 * kept_bytes(plain, batch)


def test_a_model_with_a_forward_of_its_own_cannot_be_checkpointed():
    net = small.model()
    net.config.use_sliding_window = True
    with pytest.raises(ConfigError, match=r"sliding-window attention; set learn\.checkpoint_activations = false"):
        small.learner(net, small.adamw(), checkpoint_activations=True)
