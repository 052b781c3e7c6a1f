"""A stateless request aligned with the tree, against a search over all paths."""

from hypothesis import given
from hypothesis import strategies as st

from trivium.episode import Context, Message, ToolCall, Tree, match, say

from .builders import action, calm, read


def chat(*texts):
    return [say("assistant" if at % 2 else "user", text) for at, text in enumerate(texts)]


def lay(tree, messages, tip=None):
    context = Context(tree, tip)
    for at, message in enumerate(messages):
        context = context.append(
            action(at, message=message) if message.role == "assistant" else read(at, message=message)
        )
    return context


def slow(tree, messages):
    """The longest prefix that some path says, and the newest of such paths."""
    best = (0, -1)
    for node in tree.nodes:
        path = [item.message for item in tree.path(node.id)]
        if len(path) <= len(messages) and path == messages[: len(path)]:
            best = max(best, (len(path), node.id))
    return best


@calm
@given(st.lists(st.lists(st.sampled_from("ab"), max_size=4), max_size=5), st.lists(st.sampled_from("ab"), max_size=5))
def test_the_longest_prefix_wins_and_the_newest_of_equals(conversations, request):
    tree = Tree()
    for texts in conversations:
        lay(tree, chat(*texts))
    messages = chat(*request)
    found = match(tree, messages)
    length, tip = slow(tree, messages)
    assert (found.context.tip, list(found.rest)) == (tip if length else None, messages[length:])


def test_sampled_ids_are_used_again_and_a_rewritten_history_branches():
    tree = Tree()
    whole = lay(tree, chat("q", "a", "r", "b"))
    again = match(tree, chat("q", "a", "r"))
    assert again.rest == ()
    assert again.context.tokens == whole.tokens[:3]
    rewritten = match(tree, chat("q", "A", "r"))
    assert rewritten.context.tokens == whole.tokens[:1]
    assert list(rewritten.rest) == chat("q", "A", "r")[1:]


def test_numbers_that_only_look_equal_do_not_match():
    tree = Tree()
    lay(tree, [Message(role="assistant", calls=(ToolCall("f", {"x": 1}),))])
    for other in (1.0, True):
        assert match(tree, [Message(role="assistant", calls=(ToolCall("f", {"x": other}),))]).context.tip is None


def test_a_node_without_a_message_matches_nothing():
    tree = Tree()
    tree.add(read(1), None)
    assert match(tree, chat("q")).rest == tuple(chat("q"))
    assert match(tree, []).context.tip is None


def test_the_order_of_arguments_does_not_matter():
    one, other = ToolCall("f", {"x": 1, "y": 2}), ToolCall("f", {"y": 2, "x": 1})
    tree = Tree()
    lay(tree, [Message(role="assistant", calls=(one,))])
    assert match(tree, [Message(role="assistant", calls=(other,))]).rest == ()


def test_thousands_of_messages():
    tree, messages = Tree(), chat(*map(str, range(3000)))
    lay(tree, messages)
    assert match(tree, messages).context.tip == 2999
