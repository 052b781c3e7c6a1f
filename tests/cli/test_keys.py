from copy import deepcopy
from pathlib import Path

import pytest

from trivium.cli.key_list import NEEDED, UNSET, groups
from trivium.cli.key_page import recipe_page
from trivium.config import known_keys, make_recipe

ROOT = Path(__file__).parents[2]
KEYS = [key for group in groups() for key in group.keys]


def test_every_key_that_is_read_is_listed_once_with_what_it_does():
    names = [key.name for key in KEYS]
    sections = {group.name for group in groups() if group.name}
    assert sorted([*names, *sections]) == sorted(known_keys())
    assert all(key.takes and key.does for key in KEYS)


URL = {"url": "http://127.0.0.1:1"}
BASES = {
    "policy.lora": {"policy": {"lora": {}}},
    "policy.remote": {"policy": {"remote": URL}},
    "environment.retrieval.reranker": {"environment": {"retrieval": {"reranker": {**URL, "model": "any"}}}},
}
"""Sections that are there only when a recipe begins them."""


@pytest.mark.parametrize(
    "key", [key for key in KEYS if key.default not in (UNSET, NEEDED) and "..." not in key.default]
)
def test_to_set_a_key_to_its_listed_default_changes_nothing(key):
    base = BASES.get(key.name.rpartition(".")[0], {})
    assert make_recipe(deepcopy(base), [f"{key.name}={key.default}"]) == make_recipe(deepcopy(base))


def test_the_page_of_keys_is_what_the_code_says():
    told = "docs/recipe.md is not what trivium.config says; run python tools/recipe_page.py and commit both"
    assert (ROOT / "docs" / "recipe.md").read_text() == recipe_page(), told


def test_keys_are_printed_by_their_beginning(trivium):
    shown = trivium("keys", "learn.clip").output
    assert "learn.clip_norm = 1.0  (float > 0)\n    gradients are scaled to at most this norm" in shown
    assert "learn.lr" not in shown
    assert trivium("keys").output.count(" = ") >= len(KEYS)


def test_an_unknown_beginning_names_the_nearest_key(trivium):
    assert "did you mean learn.lr?" in trivium("keys", "lern.lr", code=2).stderr
