"""Contexts against the obvious reference: a plain list of token lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Context, Draft, Kind, Tree

from .builders import action, calm, read, trees


def flat(items):
    return [token for item in items for token in item]


@st.composite
def edits(draw, count):
    """For each old place: keep, drop, or replace by new tokens; then a new node at the end, or none."""
    choices = [draw(st.sampled_from(["keep", "keep", "keep", "drop", "new"])) for _ in range(count)]
    return choices, draw(st.booleans())


def apply(nodes, choices, more):
    pairs = zip(nodes, choices, strict=True)
    new = [read(7, 7) if choice == "new" else node for node, choice in pairs if choice != "drop"]
    return new + [read(9)] * more


@calm
@given(trees(), st.data())
def test_append_reads_one_list_more(tree, data):
    tips = [None, *range(len(tree.nodes))]
    context = Context(tree, data.draw(st.sampled_from(tips)))
    before = [node.tokens for node in context.nodes]
    longer = context.append(read(1, 2, 3))
    assert longer.tokens == flat([*before, (1, 2, 3)])
    assert len(longer) == len(longer.tokens) == longer.last.end
    assert context.tokens == flat(before)  # the old one is still usable


@calm
@given(trees(), st.data())
def test_edit_is_a_fresh_prompt_that_shares_only_what_precedes_the_first_difference(tree, data):
    context = Context(tree, data.draw(st.sampled_from([None, *range(len(tree.nodes))])))
    old = context.nodes
    choices, more = data.draw(edits(len(old)))
    edited = context.edit(lambda nodes: apply(nodes, choices, more))
    expected = [item.tokens for item in apply(old, choices, more)]
    assert edited.tokens == flat(expected)
    assert len(edited) == len(flat(expected))
    assert context.nodes == old
    changed = next((i for i, choice in enumerate(choices) if choice != "keep"), len(old))
    assert edited.nodes[:changed] == old[:changed]
    assert not {node.id for node in edited.nodes[changed:]} & {node.id for node in old}
    assert [node.start for node in edited.nodes] == [sum(map(len, expected[:i])) for i in range(len(expected))]


@calm
@given(trees(), st.data())
def test_what_follows_an_edit_is_read_and_never_trained_again(tree, data):
    before = [node.id for node in tree.actions()]
    context = Context(tree, data.draw(st.sampled_from([None, *range(len(tree.nodes))])))
    choices, more = data.draw(edits(len(context.nodes)))
    edited = context.edit(lambda nodes: apply(nodes, choices, more))
    assert [node.id for node in tree.actions()] == before
    for node in edited.nodes:
        if node.copy_of is not None:
            origin = tree.nodes[node.copy_of]
            assert origin.copy_of is None
            assert (node.tokens, node.sampled, node.parts) == (origin.tokens, origin.sampled, origin.parts)
            assert not node.is_trainable


def test_an_edit_that_changes_nothing_is_the_context_itself():
    context = Context(Tree()).append(read(1)).append(action(2))
    assert context.edit(list) is context
    assert len(context.tree.nodes) == 2


def test_an_edit_may_cut_the_tail_reorder_and_empty():
    context = Context(Tree()).append(read(1)).append(action(2)).append(read(3))
    assert context.edit(lambda nodes: nodes[:2]).tip == 1
    assert context.edit(lambda nodes: nodes[::-1]).tokens == [3, 2, 1]
    assert context.edit(lambda nodes: []).tokens == []


def test_an_edit_writes_no_action():
    context = Context(Tree()).append(read(1))
    with pytest.raises(ValueError, match="new action"):
        context.edit(lambda nodes: [*nodes, action(2)])
    assert len(context.tree.nodes) == 1


def test_a_copy_of_a_copy_names_the_origin():
    context = Context(Tree()).append(read(1)).append(action(2))
    twice = context.edit(lambda nodes: nodes[1:]).edit(lambda nodes: [read(5), *nodes])
    assert twice.last.copy_of == 1


def test_spawn_begins_a_root_and_leaves_the_parent_alone():
    parent = Context(Tree()).append(read(1, 2))
    child = parent.spawn([read(5, kind=Kind.SYSTEM), read(6, kind=Kind.USER)])
    assert child.tokens == [5, 6]
    assert child.nodes[0].parent is None
    assert child.tree is parent.tree
    assert parent.tokens == [1, 2]
    assert parent.spawn([]).tip is None


def test_reattach_shows_a_node_of_a_side_branch():
    main = Context(Tree()).append(read(1))
    acted = main.append(read(8, kind=Kind.NOTICE)).append(action(2))
    onward = main.reattach(acted.last)
    assert onward.tokens == [1, 2]
    assert onward.last.copy_of == acted.tip
    assert [node.id for node in onward.tree.actions()] == [acted.tip]


def test_thousands_of_nodes_need_no_recursion():
    context = Context(Tree())
    for number in range(4000):
        context = context.append(action(number) if number % 2 else read(number))
    assert context.tokens == list(range(4000))
    edited = context.edit(lambda nodes: [Draft(kind=nodes[0].kind, tokens=(-1,)), *nodes[1:]])
    assert edited.tokens == [-1, *range(1, 4000)]
    assert len(edited.tree.actions()) == 2000
