"""Writes docs/recipe.md, the keys of a recipe, from `trivium.config` (a test keeps the two together)."""

from pathlib import Path

from trivium.cli.key_page import recipe_page

if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "recipe.md").write_text(recipe_page())
