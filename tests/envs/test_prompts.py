"""What a searching agent is told, in full and in short."""

from pathlib import Path

import pytest

from harness.world import renderer, wide
from trivium.config import Recipe, load_recipe
from trivium.envs.search.facts import cited
from trivium.harness import Pruning, Ruler

from .builders import environment, task

RECIPES = Path(__file__).parents[2] / "recipes"
ASKED = task([["a"]], ["a"])


def told(form, prunes=True):
    """The system message of a form, as the model reads it."""
    opened = environment(ASKED, form=form)
    strategy = Pruning(wide(4000, soft=2000, hard=3000), prunes=prunes, guides=form == "full")
    specs = (*(tool.spec for tool in opened.tools), *strategy.specs)
    return opened.system + strategy.guide, {spec.name: spec.description for spec in specs}


def test_the_full_prompt_names_role_process_tactics_and_output():
    system, tools = told("full")
    for part in ("do not answer the question yourself", "# Process", "# Tactics", "# Output", "# Context"):
        assert part in system
    assert cited(system) == ["ID"]
    assert "at most 30:" in system
    assert "holds 4000 tokens" in system
    assert "Above 2000, prune what does not help" in system
    assert "above 3000, every call but prune_chunks is refused" in system
    assert set(tools) == {"search_corpus", "grep_corpus", "read_document", "prune_chunks"}
    assert all(len(description) > 40 for description in tools.values())


def test_without_the_tool_nobody_is_told_to_prune():
    system, tools = told("full", prunes=False)
    assert "prune" not in system.lower()
    assert "prune_chunks" not in tools


def test_the_short_prompt_is_what_the_embedded_policy_was_taught():
    system, tools = told("short")
    assert system == "Find the documents that answer the question. Search, prune what does not help, then cite."
    assert set(tools.values()) == {""}


@pytest.mark.parametrize("name", ["demo.toml", "embedded/sft.toml"])
def test_recipes_of_the_embedded_policy_say_short(name):
    assert load_recipe(RECIPES / name).environment.prompt == "short"
    assert Recipe().environment.prompt == "full"


def test_a_short_opening_is_a_fraction_of_the_full_one():
    lengths = {
        form: Ruler(renderer(), Pruning(wide(), guides=form == "full")).length(environment(ASKED, form=form), ASKED)
        for form in ("short", "full")
    }
    assert lengths["short"] * 2 < lengths["full"]
