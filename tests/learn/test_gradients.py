"""The gradient does not depend on how a batch is cut; proved in float64."""

import dataclasses

import numpy as np
import pytest
import torch

from trivium.learn import Batch, Cispo, Reinforce, Share, cut, make_batch
from trivium.learn.segments import Segment

from . import small


@pytest.fixture(scope="module")
def net():
    return small.model(dtype=torch.float64)


@pytest.fixture(scope="module")
def episodes(net):
    return [small.episode(net, seed, turns=1 + seed % 4, prune_after=1 if seed % 2 else None) for seed in range(4)]


def gradient(net, batches, *, loss=None, micro_tokens=4096):
    learner = small.learner(net, small.adamw(), loss, micro_tokens=micro_tokens)
    net.zero_grad(set_to_none=True)
    for batch in batches:
        learner.accumulate(batch)
    return small.gradients(net)


def assert_same(one, two, rel=1e-10):
    scale = max(float(g.abs().max()) for g in one.values())
    assert scale > 0
    for name, grad in one.items():
        assert float((grad - two[name]).abs().max()) <= rel * scale, name


@pytest.mark.parametrize("denominator", ["trained", "action", "episodes"])
def test_one_by_four_two_by_two_four_by_one(net, episodes, denominator):
    batch = make_batch(episodes, "policy", denominator=denominator)
    assert len(batch.shares) == 4
    whole = gradient(net, [batch])
    for size in (1, 2):
        shards = [Batch(batch.shares[at : at + size], batch.denominator) for at in range(0, 4, size)]
        assert_same(whole, gradient(net, shards))
    assert_same(whole, gradient(net, [batch], micro_tokens=1))


def test_the_order_of_episodes_does_not_matter(net, episodes):
    assert_same(gradient(net, [make_batch(episodes, "policy")]), gradient(net, [make_batch(episodes[::-1], "policy")]))


def uncut(segment):
    """The same row, as one row per action: what an episode cut at every turn would give."""
    for span in segment.spans:
        mask_T = np.zeros(span.stop, bool)
        mask_T[span.start : span.stop] = True
        yield Segment(
            segment.episode,
            segment.tokens_T[: span.stop],
            mask_T,
            np.where(mask_T, segment.behaviour_T[: span.stop], 0.0),
            segment.temperature_T[: span.stop],
            (span,),
        )


def test_splitting_is_neutral(net, episodes):
    batch = make_batch(episodes, "policy")
    split = [
        dataclasses.replace(share, segments=tuple(row for s in share.segments for row in uncut(s)))
        for share in batch.shares
    ]
    assert sum(len(s.segments) for s in split) > sum(len(s.segments) for s in batch.shares)
    assert_same(gradient(net, [batch]), gradient(net, [Batch(tuple(split), batch.denominator)]))


def test_rows_packed_beside_each_other_equal_rows_alone_by_the_models_own_forward(net, episodes):
    """Against a plain loop without any of our batching: Hugging Face's forward with left padding and position ids."""
    batch = make_batch(episodes, "policy")
    ours = gradient(net, [batch], loss=Reinforce())
    net.zero_grad(set_to_none=True)
    for share in batch.shares:
        for row in share.segments:
            logp_T = left_padded(net, row, 5)
            picked = logp_T[torch.from_numpy(row.mask_T)]
            (-share.advantage * picked.sum() / batch.denominator).backward()
    assert_same(ours, small.gradients(net), rel=1e-5)  # their norms compute in fp32


def left_padded(net, row, pad):
    tokens = torch.from_numpy(np.concatenate([np.zeros(pad, np.int64), row.tokens_T]))[None]
    seen = (torch.arange(tokens.shape[1]) >= pad)[None]
    positions = (torch.arange(tokens.shape[1]) - pad).clamp(min=0)[None]
    logits = net(input_ids=tokens, attention_mask=seen.long(), position_ids=positions).logits[0]
    logp = logits.double().log_softmax(-1)
    return torch.stack([torch.zeros(()).double()] + [logp[pad + t - 1, row.tokens_T[t]] for t in range(1, len(row))])


def test_cispo_at_ratio_one_is_reinforce(net, episodes):
    batch = make_batch(episodes, "policy")
    assert_same(gradient(net, [batch], loss=Cispo(0.0, 5.0)), gradient(net, [batch], loss=Reinforce()), rel=1e-5)


def test_a_dropped_group_is_in_no_denominator_but_the_one_of_action_tokens(net, episodes):
    constant = [small.episode(net, 10 + i, group="c", reward=0.5) for i in range(2)]
    both = [*episodes, *constant]
    assert_same(gradient(net, [make_batch(episodes, "policy")]), gradient(net, [make_batch(both, "policy")]))
    trained = make_batch(both, "policy")
    action = make_batch(both, "policy", denominator="action")
    assert action.denominator == trained.denominator + sum(cut(e, "policy").trained for e in constant)
    assert trained.counts["groups constant"] == 1
    assert trained.counts["episodes dropped"] == 2


def test_parts_use_each_episode_once_and_add_up(net, episodes):
    batch = make_batch(episodes, "policy")
    parts = batch.parts(3)
    assert [share.episode for part in parts for share in part.shares] == [share.episode for share in batch.shares]
    whole = gradient(net, [batch])
    summed = gradient(net, parts)
    assert_same({name: 3 * grad for name, grad in whole.items()}, summed)


def test_more_parts_than_episodes_are_as_many_as_episodes(net, episodes):
    assert len(make_batch(episodes, "policy").parts(9)) == 4
    assert Batch((Share("e", 1.0, ()),), 1.0).parts(4) == []
