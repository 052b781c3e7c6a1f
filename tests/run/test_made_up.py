import pytest

from cli.world import write_pages
from trivium.config import make_recipe
from trivium.envs import Source, joined
from trivium.episode import ConfigError, Task
from trivium.policy.rendering import ChatML, Codec
from trivium.retrieval import Document, load_folder
from trivium.run import policy_folder
from trivium.run.made_up import MakeUp, letter_pieces, made_up_sides
from trivium.run.policy_folder import tokenizer_file

FILE = tokenizer_file(policy_folder("embedded"))


def make(documents: list[Document], made_up: float = 0.5) -> MakeUp:
    recipe = make_recipe({"environment": {"tasks": {"made_up": made_up, "clues": 3}, "corpus": {"chunk_tokens": 120}}})
    return MakeUp(recipe, documents, FILE, ChatML(Codec.from_file(FILE)).count)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    return list(load_folder(write_pages(tmp_path_factory.mktemp("made-up") / "pages")).documents)


def test_joined_sources_open_where_each_task_came_from() -> None:
    sources = [
        Source(name, [Task(id=f"{name}{i}", prompt="p") for i in range(2)], lambda _, seed, name=name: (name, seed))
        for name in ("a", "b")
    ]
    both = joined("both", sources)
    assert [both.open(task, 7) for task in both.tasks] == [("a", 7), ("a", 7), ("b", 7), ("b", 7)]


def test_made_up_tasks_have_their_share_and_their_own_ids(pages) -> None:
    sides = made_up_sides(make(pages), 30)
    ids = [task.id for side in sides for task in side.tasks]
    assert len(ids) == len(set(ids)) == 30
    again = made_up_sides(make(pages), 30)
    assert [task for side in again for task in side.tasks] == [task for side in sides for task in side.tasks]
    assert made_up_sides(make(pages, 0.0), 30) == []


def test_a_corpus_without_links_says_that_nothing_can_be_made_up() -> None:
    documents = [Document(f"d{i}", f"d{i}", f"words that lead nowhere, number {i}") for i in range(20)]
    with pytest.raises(ConfigError, match=r"no task could be made up over 20 disguised documents .*; set made_up = 0"):
        made_up_sides(make(documents), 30)


def test_pieces_are_bare_letters() -> None:
    pieces = letter_pieces(FILE)
    assert len(pieces) > 1000
    assert all(piece.isalpha() and piece == piece.lower() and len(piece) > 1 for piece in pieces)
