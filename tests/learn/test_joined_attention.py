"""Attention in parts joined by their log-sum-exps, against one softmax under a mask, edge by edge."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trivium.learn.joined_attention import joined_attention, readings
from trivium.learn.tree_attention import masked_attention
from trivium.learn.tree_batch import collate_trees, in_order

from .test_tree_batch import CPU, some_segments


def edges_of(segments):
    return collate_trees(in_order(segments), dtype=torch.float64, device=CPU).edges


@given(segments=some_segments())
def test_every_token_reads_its_own_path_once(segments):
    edges = edges_of(segments)
    read = {}
    for part in readings(edges):
        keys = [at for run in part.read for at in range(run.start, run.stop)]
        for row, place in enumerate(range(part.places.start, part.places.stop)):
            read.setdefault(place, []).extend(keys[: row + 1] if part.own else keys)
    for edge in edges:
        above = [at for one in edge.above for at in range(edges[one].start, edges[one].start + edges[one].size)]
        for place in range(edge.start, edge.start + edge.size):
            assert sorted(read[place]) == sorted([*above, *range(edge.start, place + 1)])


@pytest.mark.parametrize(("dtype", "near"), [(torch.float64, 1e-13), (torch.float32, 1e-5), (torch.bfloat16, 0.05)])
@given(segments=some_segments(), heads=st.sampled_from([(2, 2), (4, 2), (3, 1)]), seed=st.integers(0, 9))
def test_values_and_gradients_are_those_of_the_mask(dtype, near, segments, heads, seed):
    edges = edges_of(segments)
    torch.manual_seed(seed)
    size = sum(edge.size for edge in edges)
    inputs = [torch.randn(n, size, 8, dtype=torch.float64).mul_(2).to(dtype) for n in (heads[0], heads[1], heads[1])]
    weight = torch.randn(heads[0], size, 8, dtype=torch.float64).to(dtype)
    found = []
    for attend in (partial(joined_attention, readings(edges)), partial(masked_attention, edges)):
        leaves = [part.clone().requires_grad_() for part in inputs]
        said = attend(*leaves, 0.35)
        (said * weight).sum().backward()
        found.append([said.detach(), *(leaf.grad for leaf in leaves)])
    for ours, theirs in zip(*found, strict=True):
        assert float((ours - theirs).abs().max()) <= near * (1 + float(theirs.abs().max()))
