"""What a recipe refuses, and that inner loops read what it says."""

from pathlib import Path

import pytest

from trivium.config import (
    Recipe,
    ShownConfig,
    TasksConfig,
    known_keys,
    load_recipe,
    make_recipe,
    read_no_more,
    still_read,
)
from trivium.envs.search import ChainSettings
from trivium.envs.search.results import Shown
from trivium.episode import ConfigError

RECIPES = Path(__file__).parents[1] / "recipes"


def test_plain_structs_have_the_defaults_of_their_sections() -> None:
    assert ShownConfig().fill(Shown) == Shown()
    assert TasksConfig().fill(ChainSettings, hops=2) == ChainSettings()


def test_a_struct_takes_the_keys_that_it_shares_and_its_own() -> None:
    section = TasksConfig(clues=3, hits=7, variants=2)
    filled = section.fill(ChainSettings, hops=4, variants=9)
    assert filled == ChainSettings(hops=4, clues=3, hits=7, variants=9)


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


def test_a_recipe_of_an_older_version_is_told_apart_from_what_is_still_read() -> None:
    old = {
        "name": "old",
        "sft": {"passes": 1, "rows": 4},
        "gone": {"a": 1, "b": {"c": 2}},
        "policy": {"lora": {"x": 3}},
    }
    assert read_no_more(old) == ["sft.passes", "gone.a", "gone.b.c", "policy.lora.x"]
    assert still_read(old) == {"name": "old", "sft": {"rows": 4}, "policy": {"lora": {}}}
    whole = Recipe().model_dump(mode="json", exclude_none=True)
    assert (read_no_more(whole), still_read(whole)) == ([], whole)
