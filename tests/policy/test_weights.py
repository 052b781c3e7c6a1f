"""Weights are named by their content, published whole, and verified when read."""

import hashlib
import time

import pytest
import torch

from trivium.episode import StoreError
from trivium.policy.engine import Weights
from trivium.policy.weights import WeightStore, content_hash, read_weights


def state(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return {"b": torch.randn(4, 3, generator=generator), "a": torch.randn(5, generator=generator).bfloat16()}


def test_the_id_depends_on_names_types_shapes_and_bytes_alone():
    base = content_hash(state())
    assert len(base) == 32
    assert content_hash(dict(reversed(state().items()))) == base
    others = [
        {"c": state()["b"], "a": state()["a"]},
        {**state(), "b": state()["b"].T.contiguous()},
        {**state(), "b": state()["b"].to(torch.float64)},
        {**state(), "b": state()["b"] + 1},
        state(1),
    ]
    assert len({base, *map(content_hash, others)}) == 6


def test_the_id_does_not_depend_on_memory_layout_or_gradients():
    turned = state()["b"].T.contiguous().T
    assert content_hash({**state(), "b": turned.requires_grad_()}) == content_hash(state())


def test_four_million_parameters_are_hashed_quickly():
    big = {str(n): torch.zeros(1 << 20) for n in range(4)}
    seconds = []
    for _ in range(5):
        start = time.thread_time()
        content_hash(big)
        seconds.append(time.thread_time() - start)
    raw = time.thread_time()
    hashlib.sha256(bytes(1 << 24)).digest()
    assert min(seconds) < 1.5 * (time.thread_time() - raw) + 0.005


def test_published_weights_come_back(tmp_path):
    store = WeightStore(tmp_path)
    weights = store.publish(state(), step=3, parent="p")
    assert (weights.step, weights.parent, weights.id) == (3, "p", content_hash(state()))
    back = store.fetch(weights.id)
    assert back.keys() == state().keys()
    assert all(torch.equal(back[name], tensor) for name, tensor in state().items())
    assert WeightStore(tmp_path).find(weights.id) == weights


def test_publishing_twice_is_publishing_once(tmp_path):
    store = WeightStore(tmp_path)
    assert store.publish(state(), step=1) == store.publish(state(), step=2)
    assert len(list(tmp_path.iterdir())) == 1


def test_tied_tensors_are_stored_once(tmp_path):
    tensor = torch.ones(3, 2)
    weights = WeightStore(tmp_path).publish({"lm_head.weight": tensor, "model.embed_tokens.weight": tensor})
    assert list(read_weights(weights)) == ["model.embed_tokens.weight"]


@pytest.mark.parametrize("damage", [lambda data: data[:-5], lambda data: data[:-1] + b"x", lambda data: b""])
def test_torn_or_altered_weights_are_refused(tmp_path, damage):
    weights = WeightStore(tmp_path).publish(state())
    file = weights.path / "model.safetensors"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StoreError, match="publish them again"):
        read_weights(weights)


def test_what_was_never_published_is_named(tmp_path):
    with pytest.raises(StoreError, match="no whole weights nothing"):
        WeightStore(tmp_path).fetch("nothing")
    with pytest.raises(StoreError, match="load_state"):
        read_weights(Weights("here"))


def test_a_writer_killed_half_way_leaves_nothing_that_can_be_found(tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    store = WeightStore(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("trivium.policy.weights._settle", die)
        with pytest.raises(Killed):
            store.publish(state())
    with pytest.raises(StoreError):
        store.fetch(content_hash(state()))
    assert store.fetch(store.publish(state()).id).keys() == state().keys()
