"""Only the adapter learns: exactly as peft's own modules would, under both layouts, and it alone is stored."""

import json

import pytest
import torch
from safetensors.torch import load_file

from policy.adapted import EVERY, SOME, adapted
from trivium.episode import ConfigError, StoreError
from trivium.learn import Kl, checkpoint, cut, make_batch, parity
from trivium.learn.forward import unsupported
from trivium.learn.layout import fast_predictions, reference_predictions, segment_layout, tree_layout
from trivium.policy.lora import attach_saved, is_adapted, learned, merge, weights_id

from . import small


def learner(seed=0, layout="segments", of=torch.float32, **keys):
    net = adapted(small.model(dtype=of), EVERY, seed=seed).to(of)
    return small.learner(net, small.adamw(lr=1e-2), substeps=2, layout=layout, **keys)


@pytest.fixture(scope="module")
def batch():
    net = adapted(small.model())
    return make_batch([small.episode(net, seed, turns=3, prune_after=1) for seed in range(4)], "policy")


@pytest.mark.parametrize("family", small.FAMILIES)
@pytest.mark.parametrize("layout", [segment_layout, tree_layout])
def test_both_layouts_read_what_the_adapted_model_says(family, layout):
    net = adapted(small.model(family), SOME)
    segments = cut(small.episode(net, 3, prune_after=1), "policy").segments
    assert segment_layout(net, 1).predict is fast_predictions
    assert parity(net, segments, layout(net, 100)) < 1e-5
    assert parity(small.model(family), segments) > 1e-2


@pytest.mark.parametrize("layout", ["segments", "trees"])
def test_gradients_are_those_of_the_models_own_forward(batch, layout):
    found = []
    for own in (True, False):
        one = learner(layout=layout if own else "segments", of=torch.float64)
        if not own:
            object.__setattr__(one.layout, "predict", reference_predictions)
        one.accumulate(batch)
        found.append(small.gradients(one.model))
    ours, theirs = found
    assert ours.keys() == theirs.keys() == {n for n, _ in one.model.named_parameters() if ".lora_" in n}
    assert max((ours[name] - theirs[name]).abs().max() for name in ours) < 1e-6  # theirs normalises in float32
    assert all(ours[name].abs().max() > 0 for name in ours)


def test_the_base_stays_as_it_is(batch):
    one = learner()
    before = {name: tensor.clone() for name, tensor in one.model.state_dict().items()}
    one.step(batch)
    moved = {name for name, tensor in one.model.state_dict().items() if not torch.equal(tensor, before[name])}
    assert moved == {name for name in before if ".lora_" in name}


def flat(made, batch):
    made.accumulate(batch)
    return torch.cat([gradient.flatten() for gradient in small.gradients(made.model).values()])


@pytest.mark.parametrize("layout", ["segments", "trees"])
def test_an_adapter_is_trained_through_bf16_layers(batch, layout):
    exact, made = learner(layout=layout), learner(layout=layout, dtype=torch.bfloat16)
    found, near = flat(exact, batch), flat(made, batch)
    assert near.dtype == torch.float32
    assert 0 < float((found - near).norm() / found.norm()) < 0.05
    made.step(batch)
    made.compute.refresh()
    pairs = list(zip(made.compute.model.parameters(), made.model.parameters(), strict=True))
    assert all(torch.equal(read, master.to(torch.bfloat16)) for read, master in pairs)
    assert {master.requires_grad for _, master in pairs} == {True, False}


@pytest.mark.parametrize("layout", ["segments", "trees"])
def test_activations_of_an_adapted_model_can_be_computed_again(batch, layout):
    plain, sparing = learner(layout=layout), learner(layout=layout, checkpoint_activations=True)
    assert torch.equal(flat(plain, batch), flat(sparing, batch))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_reference_is_the_base_with_the_adapter_it_started_from(batch, dtype):
    made = learner(dtype=dtype, kl=Kl("k2", 1.0))
    started = weights_id(made.compute.model)
    assert made.accumulate(batch).kl == 0
    assert made.step(batch).substeps[1].kl > 0
    assert made.reference_id == weights_id(made.reference) == started
    pairs = zip(made.reference.parameters(), made.compute.model.parameters(), strict=True)
    assert all((of.requires_grad, own is of) in {(False, True), (True, False)} for own, of in pairs), "one base"


def test_a_resumed_run_compares_with_the_same_adapter(tmp_path, batch):
    keys = {"kl": Kl("k2", 1.0)}
    one = learner(**keys)
    one.step(batch)
    checkpoint.write(one, tmp_path)
    with pytest.raises(ConfigError, match="KL penalty"):
        checkpoint.load(learner(seed=1, **keys), tmp_path)
    resumed = learner(**keys)
    checkpoint.load(resumed, tmp_path)
    one.step(batch)
    resumed.step(batch)
    assert weights_id(resumed.model) == weights_id(one.model)


def test_a_merged_adapter_is_part_of_plain_weights():
    net = adapted(small.model(), SOME)
    ids, names = torch.tensor([[1, 2, 3, 4]]), small.model().state_dict().keys()
    before = net(ids).logits
    merge(net)
    assert net.state_dict().keys() == names
    assert torch.allclose(net(ids).logits, before, atol=1e-5)
    assert not is_adapted(net)


@pytest.mark.filterwarnings("ignore:Model has `tie_word_embeddings:UserWarning")
def test_a_matrix_that_the_embedding_shares_cannot_be_merged():
    net = small.model("llama")
    net.config.tie_word_embeddings = True
    net.tie_weights()
    with pytest.raises(ConfigError, match="cannot be merged"):
        merge(adapted(net, ("lm_head",)))


def test_a_checkpoint_is_the_adapter_alone_and_resumes_bit_for_bit(tmp_path, batch):
    one = learner()
    one.step(batch)
    checkpoint.write(one, tmp_path)
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {"adapter_model.safetensors", "adapter_config.json", "optimiser.safetensors", "learner.json"}
    assert load_file(tmp_path / "adapter_model.safetensors").keys() == learned(one.model).keys()
    resumed = learner(seed=1)
    checkpoint.load(resumed, tmp_path)
    one.step(batch)
    resumed.step(batch)
    assert weights_id(resumed.model) == weights_id(one.model)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_peft_reads_the_checkpoint(tmp_path):
    from peft import PeftModel

    one = learner()
    checkpoint.write(one, tmp_path)
    theirs = PeftModel.from_pretrained(small.model(), tmp_path)
    ids = torch.tensor([[1, 2, 3, 4]])
    assert torch.equal(theirs(ids).logits, one.model(ids).logits)


def test_another_base_is_refused(tmp_path):
    checkpoint.write(learner(), tmp_path)
    with pytest.raises(ConfigError, match="belongs to weights"):
        attach_saved(small.model(seed=1), tmp_path)
    other = small.learner(adapted(small.model(seed=1)), small.adamw())
    before = weights_id(other.model)
    with pytest.raises(StoreError, match="belongs to base"):
        checkpoint.load(other, tmp_path)
    assert weights_id(other.model) == before
    own = small.model()
    attach_saved(own, tmp_path)
    assert weights_id(own) == weights_id(learner().model)


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "adapter_config.json"])
def test_a_torn_adapter_is_named(tmp_path, name):
    checkpoint.write(learner(), tmp_path)
    data = bytearray((tmp_path / name).read_bytes())
    data[-3] ^= 1
    (tmp_path / name).write_bytes(data)
    for read in (lambda: checkpoint.load(learner(), tmp_path), lambda: checkpoint.verify(tmp_path)):
        with pytest.raises(StoreError, match=f"{name} is not what was written"):
            read()


def test_what_is_no_adapter_configuration_is_refused(tmp_path):
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 8}))
    with pytest.raises(ConfigError, match="belongs to weights None"):
        attach_saved(small.model(), tmp_path)
    (tmp_path / "adapter_config.json").write_text("{")
    with pytest.raises(ConfigError, match="no LoRA configuration"):
        attach_saved(small.model(), tmp_path)


def test_modules_that_the_model_lacks_are_refused():
    with pytest.raises(ConfigError, match=r"policy\.lora\.target_modules do not fit"):
        adapted(small.model(), ("no_such_proj",))


def test_an_adapter_on_the_head_takes_the_models_own_forward():
    assert "head is not plain" in unsupported(adapted(small.model("llama"), ("lm_head",)))
