"""Questions that the window cannot hold are skipped and counted."""

import json
from pathlib import Path

import pytest

from trivium.config import Recipe, make_recipe
from trivium.envs.search import SearchWorld, build_world
from trivium.episode import ConfigError
from trivium.policy.rendering import ChatML, Codec
from trivium.run import policy_folder
from trivium.run.overlong import without_overlong_tasks
from trivium.run.policy_folder import tokenizer_file

RENDERER = ChatML(Codec.from_file(tokenizer_file(policy_folder("embedded"))))


def judged(folder: Path, questions: list[str]) -> tuple[SearchWorld, Recipe]:
    """A data set of one document per question; the last question is the held-out one."""
    pages = [{"_id": f"d{i}", "title": f"page {i}", "text": f"room {i} holds words"} for i in range(len(questions))]
    asked = [{"_id": f"q{i}", "text": text} for i, text in enumerate(questions)]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, pages)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (folder / "qrels.tsv").write_text("".join(f"q{i}\td{i}\t1\n" for i in range(len(questions))))
    own = {"prompt": "short", "corpus": {"kind": "beir", "path": folder}, "tasks": {"kind": "qrels", "held_out": 1}}
    recipe = make_recipe({"environment": own})
    return build_world(recipe.environment, recipe.reward, RENDERER.count), recipe


def test_one_overlong_question_does_not_cost_the_others(tmp_path: Path) -> None:
    world, recipe = judged(tmp_path, ["where is a?", "long " * 600, "where is c?"])
    fits = without_overlong_tasks(world, recipe, RENDERER)
    assert [task.id for task in (*fits.train.tasks, *fits.held_out.tasks)] == ["q0", "q2"]
    (note,) = (line for line in fits.notes if "skipped, too long" in line)
    assert note.startswith("training tasks: 1 skipped, too long for the window: the opening of q1 takes ")


def test_a_side_without_a_question_that_fits_is_refused(tmp_path: Path) -> None:
    world, recipe = judged(tmp_path, ["where is a?", "where is b?", "long " * 600])
    with pytest.raises(ConfigError, match=r"none of the 1 held-out tasks fits: the opening of q2 .*; raise budget"):
        without_overlong_tasks(world, recipe, RENDERER)


def test_a_world_that_fits_is_as_it_was(tmp_path: Path) -> None:
    world, recipe = judged(tmp_path, ["where is a?", "where is b?", "where is c?"])
    fits = without_overlong_tasks(world, recipe, RENDERER)
    assert (fits.train.tasks, fits.held_out.tasks, fits.notes) == (world.train.tasks, world.held_out.tasks, world.notes)
