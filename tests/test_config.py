"""What a recipe refuses."""

from pathlib import Path

import pytest

from trivium.config import Recipe, known_keys, load_recipe, make_recipe
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
