import pytest
import torch
from safetensors.torch import load_file

from trivium.episode import StoreError
from trivium.learn import checkpoint, make_batch

from . import small


def learner(seed=0):
    return small.learner(small.model(seed=seed), small.adamw(lr=1e-3, warmup=3, weight_decay=0.1), substeps=2)


@pytest.fixture(scope="module")
def batches():
    net = small.model()
    return [make_batch([small.episode(net, 4 * b + i, turns=2) for i in range(4)], "policy") for b in range(3)]


def save(one, folder):
    folder.mkdir()
    checkpoint.write(one, folder)


def same(one, two):
    return all(torch.equal(a, b) for a, b in zip(one.model.parameters(), two.model.parameters(), strict=True))


def test_resumed_equals_uninterrupted_bit_for_bit(tmp_path, batches):
    whole = learner()
    for batch in batches[:2]:
        whole.step(batch)
    save(whole, tmp_path / "two")
    drawn = torch.rand(3)
    expected = whole.step(batches[2])
    resumed = learner(seed=1)
    checkpoint.load(resumed, tmp_path / "two")
    assert torch.equal(torch.rand(3), drawn)
    found = resumed.step(batches[2])
    assert same(resumed, whole)
    assert (resumed.batches, resumed.updates) == (whole.batches, whole.updates) == (3, 6)
    assert found.substeps == expected.substeps


def test_the_folder_loads_in_hugging_face(tmp_path):
    one = learner()
    save(one, tmp_path / "c")
    loaded = type(one.model).from_pretrained(tmp_path / "c")
    assert all(torch.equal(a, b) for a, b in zip(one.model.parameters(), loaded.parameters(), strict=True))
    assert "lm_head.weight" not in load_file(tmp_path / "c" / "model.safetensors"), "a tied head is stored once"


@pytest.mark.parametrize("name", ["model.safetensors", "optimiser.safetensors", "config.json"])
@pytest.mark.parametrize("damage", ["cut", "flip", "gone"])
def test_a_torn_checkpoint_is_named_and_changes_nothing(tmp_path, name, damage):
    one = learner()
    save(one, tmp_path / "a")
    one.model.model.norm.weight.data += 1
    one.batches += 1
    save(one, tmp_path / "b")
    path = tmp_path / "b" / name
    data = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    else:
        data[-1] ^= 1
        path.write_bytes(data if damage == "flip" else data[: len(data) // 2])
    other = learner(seed=1)
    with pytest.raises(StoreError, match="b is torn"):
        checkpoint.load(other, tmp_path / "b")
    assert same(other, learner(seed=1))


def test_the_record_alone_torn_is_torn(tmp_path):
    save(learner(), tmp_path / "a")
    (tmp_path / "a" / "learner.json").write_text('{"batches": 1')
    with pytest.raises(StoreError, match="a is torn"):
        checkpoint.load(learner(), tmp_path / "a")


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    save(learner(), tmp_path / "a")
    other = small.learner(small.model("llama"), small.adamw())
    with pytest.raises(StoreError, match="another model"):
        checkpoint.load(other, tmp_path / "a")


def test_a_full_disk_is_an_error_of_the_system(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def full(*_arguments, **_keywords):
        raise SafetensorError("No space left on device")

    monkeypatch.setattr("trivium.learn.checkpoint.save_file", full)
    with pytest.raises(OSError, match="No space left"):
        save(learner(), tmp_path / "one")
