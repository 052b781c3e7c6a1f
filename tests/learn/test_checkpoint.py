import signal
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from trivium.episode import StoreError
from trivium.learn import AdamW, Learner, latest, load, make_batch, save

from . import small


def learner(seed=0):
    return Learner(small.model(seed=seed), AdamW(lr=1e-3, warmup=3, weight_decay=0.1), substeps=2)


@pytest.fixture(scope="module")
def batches():
    net = small.model()
    return [make_batch([small.episode(net, 4 * b + i, turns=2) for i in range(4)], "policy") for b in range(3)]


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
    load(resumed, tmp_path / "two")
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
        load(other, tmp_path / "b")
    assert same(other, learner(seed=1))
    assert latest(tmp_path) == tmp_path / "a"


def test_the_record_alone_torn_is_torn(tmp_path):
    save(learner(), tmp_path / "a")
    (tmp_path / "a" / "learner.json").write_text('{"batches": 1')
    with pytest.raises(StoreError, match="a is torn"):
        load(learner(), tmp_path / "a")
    assert latest(tmp_path) is None
    assert latest(tmp_path / "nowhere") is None


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    save(learner(), tmp_path / "a")
    other = Learner(small.model("llama"), AdamW())
    with pytest.raises(StoreError, match="another model"):
        load(other, tmp_path / "a")


def test_nothing_is_overwritten(tmp_path):
    save(learner(), tmp_path / "a")
    with pytest.raises(StoreError, match="exists"):
        save(learner(), tmp_path / "a")


KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from trivium.learn import AdamW, Learner, checkpoint, save

torch.set_num_threads(1)
net = torch.nn.Linear(3, 3)
one = Learner(net, AdamW())
root = Path(sys.argv[1])
one.batches = 1
save(one, root / "one")
one.batches = 2
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
if os.fork() == 0:
    true = checkpoint._write
    checkpoint._write = lambda named, path: die() if path.name == checkpoint.OPTIMISER else true(named, path)
    save(one, root / "two")
if os.wait()[1] == signal.SIGKILL:
    Path.rename = die
    save(one, root / "two")
"""


def test_killed_while_saving_the_last_one_stays(tmp_path):
    """One process dies in the middle of the files, the other between the last file and the name."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL
    assert latest(tmp_path) == tmp_path / "one"
    assert sum(path.name.endswith(".partial") for path in tmp_path.iterdir()) == 2
    one = Learner(torch.nn.Linear(3, 3), AdamW())
    load(one, latest(tmp_path))
    assert one.batches == 1


def test_a_full_disk_is_a_store_error(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def full(*_arguments, **_keywords):
        raise SafetensorError("No space left on device")

    monkeypatch.setattr("trivium.learn.checkpoint.save_file", full)
    with pytest.raises(StoreError, match="free the disk"):
        save(learner(), tmp_path / "one")
    assert not list(tmp_path.iterdir())
