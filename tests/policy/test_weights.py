"""Weights are named by their content."""

import hashlib
import time

import torch

from trivium.policy.weights import content_hash


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


def test_tied_tensors_count_once_under_the_last_of_their_names():
    tensor = torch.ones(3, 2)
    tied = {"lm_head.weight": tensor, "model.embed_tokens.weight": tensor}
    assert content_hash(tied) == content_hash({"model.embed_tokens.weight": tensor})
