from trivium.config import make_recipe
from trivium.envs import Source, joined
from trivium.episode import Task
from trivium.policy.rendering import ChatML, Codec
from trivium.run import model_home
from trivium.run.made_up import beside, letter_pieces
from trivium.run.parts import tokenizer_file


def test_joined_sources_open_where_each_task_came_from() -> None:
    sources = [
        Source(name, [Task(id=f"{name}{i}", prompt="p") for i in range(2)], lambda _, seed, name=name: (name, seed))
        for name in ("a", "b")
    ]
    both = joined("both", sources)
    assert [both.open(task, 7) for task in both.tasks] == [("a", 7), ("a", 7), ("b", 7), ("b", 7)]


def test_made_up_tasks_have_their_share_and_their_own_ids() -> None:
    file = tokenizer_file(model_home("embedded"))
    recipe = make_recipe({"environment": {"tasks": {"made_up": 0.5, "clues": 4}, "corpus": {"chunk_tokens": 40}}})
    count = ChatML(Codec.from_file(file)).count
    sides = beside(recipe, 30, file, count)
    ids = [task.id for side in sides for task in side.tasks]
    assert len(ids) == len(set(ids)) == 30
    assert [task for side in beside(recipe, 30, file, count) for task in side.tasks] == [
        task for side in sides for task in side.tasks
    ]
    assert beside(make_recipe({}), 30, file, count) == []


def test_pieces_are_bare_letters() -> None:
    pieces = letter_pieces(tokenizer_file(model_home("embedded")))
    assert len(pieces) > 1000
    assert all(piece.isalpha() and piece == piece.lower() and len(piece) > 1 for piece in pieces)
