from trivium.cli.episode_view import node_text
from trivium.episode import Agent, Context, Draft, Episode, Kind, Part, Scored, Task, Tree, printable
from trivium.harness import prune
from trivium.web import spans, tail_lines


def letters(tokens):
    return "".join(chr(96 + token) for token in tokens)


def pruned_episode():
    """A result of two chunks, 11 and 12; 11 is pruned, so what follows reads a copy without it."""
    tree = Tree()
    context = Context(tree).append(Draft(kind=Kind.USER, tokens=(1, 2)))
    parts = (Part("11", 1, 3, "one"), Part("12", 3, 4, "two"))
    context = context.append(Draft(kind=Kind.OBSERVATION, tokens=(3, 4, 5, 6, 7), parts=parts))
    context = context.edit(prune(frozenset({"11"})))
    agent = Agent(tip=context.tip, state={"pruned": ["11"]})
    task = Task(id="t", prompt="?")
    return Episode(id="e", task=task, group="g", seed=0, tree=tree, agents={"main": agent}, outcome=Scored(1.0))


def test_words_are_cut_at_their_parts_and_none_is_lost():
    node = pruned_episode().tree.nodes[1]
    assert list(spans(node, letters)) == [("c", None), ("de", "11"), ("f", "12"), ("g", None)]


def test_what_was_pruned_is_marked_where_it_was_read_and_named_where_it_left():
    episode = pruned_episode()
    shown = [node_text(node, episode, letters, {"11"}).plain for node in episode.tree.nodes]
    assert "[11, pruned later] de" in shown[1]
    assert "[12] f" in shown[1]
    assert shown[-1].endswith("#1 again, without 11")
    assert "pruned: 11" in list(tail_lines(episode, {"11"}))


def test_text_cannot_steer_the_terminal():
    assert printable("a\x1b[2Jb\n") == "a\\x1b[2Jb\n"
