"""What a recipe refuses."""

from pathlib import Path

import pytest

from trivium.config import (
    Recipe,
    changed_keys,
    known_keys,
    load_recipe,
    make_recipe,
    read_no_more,
    still_read,
    stored_recipe,
)
from trivium.config.renamed import RENAMED
from trivium.episode import ConfigError

RECIPES = Path(__file__).parents[1] / "recipes"


@pytest.mark.parametrize(
    "name", ["../../x", "a/b", "", "/tmp/x", "..", ".hidden", "a\n", "a\0", "a\\b", " a", "a" * 81]
)
def test_a_name_that_is_no_folder_under_runs_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=r"name = .* it names a folder under runs/; give"):
        make_recipe({"name": name})


@pytest.mark.parametrize("name", ["demo", "run-1.b", "ablation no prune", "größe_2"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert make_recipe({"name": name}).name == Path("runs", name).name


@pytest.mark.parametrize("path", sorted(RECIPES.glob("**/*.toml")), ids=lambda path: path.stem)
def test_ready_made_recipes_are_recipes(path: Path) -> None:
    assert isinstance(load_recipe(path), Recipe)


def test_a_key_of_a_section_that_may_be_missing_is_known() -> None:
    assert {"policy.lora", "policy.lora.lora_alpha"} <= set(known_keys())
    with pytest.raises(ConfigError, match=r"policy\.lora\.alpha; did you mean policy\.lora\.lora_alpha"):
        make_recipe({"policy": {"lora": {"alpha": 3}}})


def test_a_renamed_key_is_refused_with_its_new_name() -> None:
    with pytest.raises(ConfigError, match=r"the key sft\.rows is now called sft\.batch_episodes; rename it"):
        make_recipe({"sft": {"rows": 8}})


def test_the_recipe_of_a_run_is_read_whatever_its_keys_were_called() -> None:
    assert stored_recipe("[sft]\nrows = 3\nlr = 0.5", "recipe.toml") == make_recipe(
        {"sft": {"batch_episodes": 3, "lr": 0.5}}
    )
    assert changed_keys({"sft": {"rows": 3}}) == ["sft.batch_episodes = 3"]
    assert changed_keys({"sft": {"rows": 16}}) == []


def test_every_new_name_is_a_key() -> None:
    assert set(RENAMED.values()) <= set(known_keys())
    assert set(RENAMED).isdisjoint(known_keys())


def test_a_recipe_of_an_older_version_is_told_apart_from_what_is_still_read() -> None:
    old = {
        "name": "old",
        "sft": {"passes": 1, "rows": 4},
        "gone": {"a": 1, "b": {"c": 2}},
        "policy": {"lora": {"x": 3}},
    }
    assert read_no_more(old) == ["sft.passes", "gone.a", "gone.b.c", "policy.lora.x"]
    assert still_read(old) == {"name": "old", "sft": {"batch_episodes": 4}, "policy": {"lora": {}}}
    whole = Recipe().model_dump(mode="json", exclude_none=True)
    assert (read_no_more(whole), still_read(whole)) == ([], whole)
