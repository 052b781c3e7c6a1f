"""What a tree refuses, so that everything after it may rely on it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Kind, Part, Tree, Versions

from .builders import action, calm, read, trees


@calm
@given(trees())
def test_an_index_is_an_identity(tree):
    for place, node in enumerate(tree.nodes):
        assert node.id == place
        assert node.parent is None or node.parent < place
        assert node.end == sum(len(item.tokens) for item in tree.path(node.id))


@pytest.mark.parametrize(
    ("draft", "says"),
    [
        (msgspec.structs.replace(action(1), sampled=None), "lacks sampled"),
        (msgspec.structs.replace(action(1), kind=Kind.USER), "carries sampled"),
        (msgspec.structs.replace(action(1, 2), tokens=(1,)), "each token needs"),
        (msgspec.structs.replace(action(1, 2), lead=1), "each token needs"),
        (msgspec.structs.replace(action(1), lead=-1, tokens=()), "each token needs"),
        (msgspec.structs.replace(read(1, 2), lead=1), "only an action"),
        (read(1, parts=(Part("a", 0, 2),)), "part a spans"),
        (read(1, 2, parts=(Part("a", 1, 2), Part("b", 0, 1))), "part b spans"),
        (read(1, 2, parts=(Part("a", 0, 2), Part("b", 1, 2))), "part b spans"),
        (read(1, parts=(Part("a", -1, 1),)), "part a spans"),
        (msgspec.structs.replace(read(1), copy_of=5), "cannot be copied"),
        (msgspec.structs.replace(read(1), copy_of=-1), "cannot be copied"),
        (msgspec.structs.replace(read(1), copy_of=1), "is a copy itself"),
    ],
)
def test_a_draft_that_breaks_an_invariant_is_refused(draft, says):
    tree = Tree()
    tree.add(read(1), None)
    tree.add(msgspec.structs.replace(read(1), copy_of=0), 0)
    with pytest.raises(ValueError, match=says):
        tree.add(draft, 0)
    assert len(tree.nodes) == 2


@pytest.mark.parametrize("parent", [-1, 1, 7])
def test_a_parent_is_a_node_of_the_tree(parent):
    tree = Tree()
    tree.add(read(1), None)
    with pytest.raises(ValueError, match="no parent"):
        tree.add(read(2), parent)


def test_a_node_cannot_be_changed():
    node = Tree().add(read(1), None)
    with pytest.raises(AttributeError):
        node.tokens = (2,)


@calm
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=5))
def test_versions_are_run_lengths(runs):
    versions = Versions(tuple(name for name, _ in runs), tuple(count for _, count in runs))
    plain = [name for name, count in runs for _ in range(count)]
    assert list(versions) == plain
    assert len(versions) == len(plain)


@pytest.mark.parametrize(("ids", "counts"), [(("a",), ()), (("a",), (0,)), (("a", "b"), (3, -1)), ((), (1,))])
def test_versions_that_count_wrong_are_refused(ids, counts):
    with pytest.raises(ValueError, match="count of at least 1"):
        Versions(ids, counts)
