import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Context, DataError, Episode, Kind, Node, Task, Tree, as_copy
from trivium.learn import cut

from .small import action, text

POLICIES = ("policy", "frozen")


def episode_of(tree):
    return Episode(id="e", task=Task(id="t", prompt=""), group="g", seed=0, tree=tree)


@st.composite
def trees(draw):
    """Random forests of actions (own, foreign, copied, empty, with and without a lead) and other nodes."""
    tree = Tree()
    for index in range(draw(st.integers(0, 25))):
        parent = draw(st.sampled_from([None, *range(index)])) if index else None
        kind = draw(st.sampled_from(["text", "action", "action", "copy"]))
        tokens = [index] * draw(st.integers(0, 4))
        if kind == "copy" and index:
            draft = as_copy(tree.nodes[draw(st.integers(0, index - 1))])
        elif kind == "action":
            lead = draw(st.integers(0, len(tokens)))
            own = len(tokens) - lead
            draft = action(
                tokens, [-index - t / 10 for t in range(own)], lead=lead, policy=draw(st.sampled_from(POLICIES))
            )
        else:
            draft = text(tokens)
        tree.add(draft, parent)
    return tree


@given(trees())
def test_every_token_is_trained_once_in_the_context_it_was_sampled_in(tree):
    done = cut(episode_of(tree), "policy")
    trained = []
    for segment in done.segments:
        inside = np.zeros(len(segment), bool)
        for span in segment.spans:
            node = tree.nodes[span.node]
            context = Context(tree, node.id).tokens
            assert segment.tokens_T[: node.end].tolist() == context
            assert segment.behaviour_T[span.start : span.stop].tolist() == list(
                node.sampled.logprobs[span.start - node.start - node.lead :]
            )
            inside[span.start : span.stop] = True
            trained += [(node.id, t) for t in range(span.start - node.start, span.stop - node.start)]
        assert (inside == segment.mask_T).all()
        assert not segment.mask_T[0]
        assert not segment.behaviour_T[~segment.mask_T].any()
    expected = [
        (node.id, t)
        for node in tree.nodes
        if _is_own(node)
        for t in range(node.lead, len(node.tokens))
        if node.start + t > 0
    ]
    assert sorted(trained) == expected
    assert done.trained == len(expected)
    sampled = sum(len(n.sampled.logprobs) for n in tree.nodes if n.is_trainable)
    assert done.trained + sum(done.skipped.values()) == sampled


@given(trees())
def test_rows_are_no_more_than_needed(tree):
    done = cut(episode_of(tree), "policy")
    tips = [segment.spans[-1].node for segment in done.segments]
    for tip in tips:
        above = {node.id for node in tree.path(tip)} - {tip}
        assert not above & set(tips), "a row that is the beginning of another row"


def _is_own(node: Node):
    return node.is_trainable and node.sampled.policy == "policy"


def conversation():
    context = Context(Tree()).append(text([1, 2], Kind.SYSTEM))
    for turn in range(3):
        context = context.append(action([10 + turn, 20 + turn, 30 + turn], [-1.0, -2.0], lead=1))
        context = context.append(text([40 + turn] * 2))
    return context


def test_without_an_edit_one_row():
    context = conversation()
    (row,) = cut(episode_of(context.tree), "policy").segments
    assert row.tokens_T.tolist() == context.tokens[:-2]
    assert np.flatnonzero(row.mask_T).tolist() == [3, 4, 8, 9, 13, 14]


def test_the_last_sampled_token_is_trained_and_the_token_after_it_is_not():
    (row,) = cut(episode_of(conversation().tree), "policy").segments
    assert row.mask_T[4]
    assert not row.mask_T[5]
    assert not row.mask_T[2], "the generation header was not sampled"


def test_one_prune_gives_two_rows_and_copies_are_read():
    context = conversation()
    gone = next(node for node in context.nodes if node.kind is Kind.OBSERVATION)
    context = context.edit(lambda nodes: [node for node in nodes if node is not gone])
    context = context.append(action([7, 8], [-0.5], lead=1))
    first, second = cut(episode_of(context.tree), "policy").segments
    assert first.trained == 6
    assert second.trained == 1
    assert second.tokens_T.tolist() == context.tokens
    assert np.flatnonzero(second.mask_T).tolist() == [len(context) - 1]


def test_a_transient_notice_branches():
    context = conversation()
    warned = context.append(text([99], Kind.NOTICE)).append(action([5], [-0.1]))
    context.reattach(warned.last).append(action([6], [-0.2]))
    rows = cut(episode_of(context.tree), "policy").segments
    assert [row.tokens_T[-2:].tolist() for row in rows] == [[99, 5], [5, 6]]
    assert [row.trained for row in rows] == [7, 1]


def test_sub_agents_of_another_policy_are_read_and_counted():
    context = conversation()
    context.spawn([text([3])]).append(action([4, 5], [-1.0, -1.0], policy="frozen"))
    done = cut(episode_of(context.tree), "policy")
    assert len(done.segments) == 1
    assert done.skipped == {"other policy: frozen": 2}


def test_a_trained_sub_agent_is_a_row_of_its_own():
    context = conversation()
    context.spawn([text([3])]).append(action([4, 5], [-1.0, -1.0]))
    assert [row.trained for row in cut(episode_of(context.tree), "policy").segments] == [6, 2]


def test_fifteen_hundred_turns_are_one_row():
    context = Context(Tree()).append(text([1]))
    for _ in range(1500):
        context = context.append(action([2], [-1.0])).append(text([3]))
    (row,) = cut(episode_of(context.tree), "policy").segments
    assert row.trained == 1500


@pytest.mark.parametrize("bad", [math.nan, -math.inf, math.inf])
def test_a_broken_log_prob_names_its_node(bad):
    context = conversation().append(action([5, 6], [-1.0, bad]))
    with pytest.raises(DataError, match=r"node 7 of episode e carries log-prob .* at its sampled token 1"):
        cut(episode_of(context.tree), "policy")


def test_a_broken_log_prob_of_another_policy_is_no_matter():
    context = conversation()
    context.append(action([5], [math.nan], policy="frozen"))
    assert len(cut(episode_of(context.tree), "policy").segments) == 1


def test_greedy_samples_are_refused():
    context = conversation().append(action([5], [0.0], temperature=0.0))
    with pytest.raises(DataError, match="temperature 0"):
        cut(episode_of(context.tree), "policy")


def test_empty_completions_and_empty_episodes_give_no_row():
    context = Context(Tree()).append(text([1])).append(action([2], [], lead=1))
    assert cut(episode_of(context.tree), "policy").segments == ()
    assert cut(episode_of(Tree()), "policy").segments == ()
