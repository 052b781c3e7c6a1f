"""Tree batches: a segment is still its own path, what is shared is computed once, the gradient is that of segments."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import Gemma2Config, Gemma2ForCausalLM

from trivium.episode import ConfigError
from trivium.learn import Batch, Cispo, Reinforce, Share, make_batch, parity
from trivium.learn.layout import tree_layout
from trivium.learn.segments import Segment
from trivium.learn.trained_tokens import WeightedSegment
from trivium.learn.tree_batch import collate_trees, in_order, pack_trees

from . import small

tokens = st.lists(st.integers(0, 2), min_size=2, max_size=9)
CPU = torch.device("cpu")


@st.composite
def some_segments(draw, least=1):
    """Segments over three tokens, so that they share much; whatever is trained, temperatures differ."""
    made = []
    for number in range(draw(st.integers(least, 7))):
        tokens_T = np.asarray(draw(tokens), np.int64)
        mask_T = np.asarray(
            [False, *draw(st.lists(st.booleans(), min_size=len(tokens_T) - 1, max_size=len(tokens_T) - 1))]
        )
        mask_T[-1] = True
        behaviour_T = np.where(
            mask_T,
            -np.asarray(draw(st.lists(st.integers(1, 8), min_size=len(tokens_T), max_size=len(tokens_T))), float),
            0,
        )
        temperature_T = np.full(len(tokens_T), draw(st.sampled_from([0.5, 1.0])))
        segment = Segment(f"e{number}", tokens_T, mask_T, behaviour_T, temperature_T)
        made.append(WeightedSegment(segment, float(draw(st.integers(-3, 3)))))
    return made


@given(segments=some_segments())
def test_a_segment_is_the_path_to_its_end(segments):
    trees = collate_trees(in_order(segments), dtype=torch.float64, device=CPU)
    trained, said = trees.trained, trees.tokens_S.tolist()
    prefixes = {tuple(one.segment.tokens_T[:end]) for one in segments for end in range(1, len(one.segment) + 1)}
    assert trees.computed == len(said) == len(prefixes)
    paths = {}
    for index, edge in enumerate(trees.edges):
        above = [
            at
            for one in edge.above
            for at in range(trees.edges[one].start, trees.edges[one].start + trees.edges[one].size)
        ]
        assert len(above) == edge.depth
        for at in range(edge.start, edge.start + edge.size):
            above.append(at)
            paths[at] = tuple(said[place] for place in above)
            assert int(trees.position_S[at]) == len(above) - 1
        assert index > max(edge.above, default=-1)
    assert set(paths.values()) == prefixes
    for n, (row, column) in enumerate(zip(trained.row_N.tolist(), trained.column_N.tolist(), strict=True)):
        segment, which = trained.segments[row].segment, int(trees.which_N[n])
        assert paths[int(trees.place_U[which])] == tuple(segment.tokens_T[:column])
        assert int(trained.target_N[n]) == segment.tokens_T[column]
        assert float(trained.behaviour_N[n]) == segment.behaviour_T[column]
        assert float(trees.temperature_U[which]) == segment.temperature_T[column]
        assert float(trained.advantage_N[n]) == trained.segments[row].advantage
        assert trained.where(n) == segment.where(column)
    assert len(trained.target_N) == sum(one.segment.trained for one in segments)


@given(segments=some_segments(), cap=st.integers(1, 30))
def test_micro_batches_hold_every_segment_once_and_keep_to_the_cap(segments, cap):
    cut = list(pack_trees(in_order(segments), cap))
    assert sorted(id(one) for part in cut for one in part) == sorted(map(id, segments))
    for part in cut:
        trees = collate_trees(part, dtype=torch.float64, device=CPU)
        assert trees.computed <= cap or len(part) == 1


def gradients(net, batch, layout, loss, micro_tokens=4096):
    net.zero_grad(set_to_none=True)
    small.learner(net, small.adamw(), loss, layout=layout, micro_tokens=micro_tokens).accumulate(batch)
    return small.gradients(net)


BOUND = {torch.float64: 1e-10, torch.float32: 1e-4}


def worst(one, two):
    """The largest relative L2 distance of a tensor. One whose gradient is all rounding is compared with the largest."""
    assert one.keys() == two.keys()
    kind = next(iter(one.values())).dtype
    floor = 10 * torch.finfo(kind).eps / BOUND[kind] * max(gradient.norm() for gradient in one.values())
    return max(float((one[name] - two[name]).norm() / one[name].norm().clamp_min(floor)) for name in one)


NETS = {dtype: small.model(dtype=dtype) for dtype in (torch.float64, torch.float32)}


@pytest.mark.parametrize("dtype", BOUND)
@settings(max_examples=60, deadline=None)
@given(segments=some_segments(2), cap=st.sampled_from([1, 12, 4096]))
def test_the_gradient_of_random_trees_is_that_of_segments(dtype, segments, cap):
    shares = tuple(Share(one.segment.episode, one.advantage or 1.0, (one.segment,)) for one in segments)
    batch, net = Batch(shares, 7.0), NETS[dtype]
    for loss in (Cispo(0.0, 5.0), Reinforce()):
        by_segments = gradients(net, batch, "segments", loss)
        assert worst(by_segments, gradients(net, batch, "trees", loss, cap)) <= BOUND[dtype]


@pytest.mark.parametrize("family", small.FAMILIES)
def test_sampled_and_pruned_episodes_of_every_family(family):
    net = small.model(family, dtype=torch.float64)
    episodes = [small.episode(net, s, turns=1 + s % 4, prune_after=s % 2 or None, group=f"g{s // 3}") for s in range(6)]
    batch = make_batch(episodes, "policy")
    by_segments = gradients(net, batch, "segments", Cispo(0.0, 5.0))
    assert worst(by_segments, gradients(net, batch, "trees", Cispo(0.0, 5.0))) <= 1e-10
    assert parity(net, [s for share in batch.shares for s in share.segments], tree_layout(net, 64)) < 1e-6


def test_identical_actions_of_two_episodes_keep_their_own_advantages():
    net = small.model(dtype=torch.float64)
    (share,) = make_batch([small.episode(net, 1, group="g"), small.episode(net, 2, group="g")], "policy").shares[:1]
    other = dataclasses.replace(share, episode="twin", advantage=-3.0 * share.advantage)
    both = Batch((share, other), 5.0)
    assert (
        worst(gradients(net, both, "segments", Cispo(0.0, 5.0)), gradients(net, both, "trees", Cispo(0.0, 5.0)))
        <= 1e-10
    )
    alone = Batch((dataclasses.replace(share, advantage=-2.0 * share.advantage),), 5.0)
    assert worst(gradients(net, alone, "segments", Reinforce()), gradients(net, both, "trees", Reinforce())) <= 1e-10


def test_a_model_outside_the_allow_list_is_refused():
    net = Gemma2ForCausalLM(
        Gemma2Config(
            vocab_size=50,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
        )
    )
    with pytest.raises(ConfigError, match=r'Gemma2ForCausalLM is not one of .*; set learn\.layout = "segments"'):
        small.learner(net, small.adamw(), layout="trees")
