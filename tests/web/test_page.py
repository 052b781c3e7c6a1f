"""The page of a run: whole, safe, and honest about what is missing."""

import re

import pytest

from policy.tiny import write_model
from trivium.episode import ConfigError
from trivium.store import RunStore
from trivium.web import run_page
from trivium.web.window import turns

from .hostile import SCRIPT, write_run
from .reader import Page

TRAINED, DROPPED = "00000-000-000", "00000-001-000"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model")) / "tokenizer.json"


@pytest.fixture
def run(tmp_path, tokenizer):
    return write_run(tmp_path / "run", tokenizer)


def page(run, episode=None):
    with RunStore(run, readonly=True) as store:
        return Page(run_page(store, episode))


def test_a_hostile_document_stays_words_and_nothing_is_fetched(run):
    found = page(run, TRAINED)
    assert SCRIPT in found.text
    names = {name for name, _ in found.elements}
    assert names.isdisjoint({"script", "img", "link", "iframe", "object", "embed"})
    for _, attributes in found.elements:
        assert not attributes.keys() & {"src", "onload", "onclick", "srcset", "action"}
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in found.text.partition("</style>")[0].partition("Trivium")[2][:20_000]
    assert "@import" not in found.text


def test_links_lead_to_nodes_and_every_node_is_there_once(run):
    found = page(run, TRAINED)
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert ids == [f"node-{n}" for n in range(len(ids))]
    assert {attributes["href"][1:] for _, attributes in found.elements if "href" in attributes} == set(ids)


def test_the_window_is_told_turn_by_turn(run):
    with RunStore(run, readonly=True) as store:
        episode = store.episodes.get(TRAINED)
    found = turns(episode)
    nodes = episode.tree.nodes
    assert [turn.used for turn in found] == [nodes[1].end, nodes[4].end, nodes[episode.main.tip].end]
    assert [turn.action for turn in found] == [1, 4, None]
    assert [turn.gone for turn in found] == [(), (), ("11",)]
    assert any(span.kind == "notice" for span in found[1].spans)
    assert not any(span.kind == "notice" for span in found[2].spans)


def test_trained_and_dropped_are_told_apart(run):
    trained, dropped = page(run, TRAINED), page(run, DROPPED)
    assert "trained at step 1, advantage +0.2500" in trained.text
    assert [attributes.get("class") for name, attributes in trained.elements].count("badge") == 2
    assert "dropped at step 1: equal rewards <b>" in dropped.text
    assert not any(attributes.get("class") == "badge" for _, attributes in dropped.elements)


def test_sampled_tokens_are_shaded_by_what_they_were_sampled_at(run):
    found = page(run, TRAINED)
    tokens = [attributes for _, attributes in found.elements if attributes.get("class") == "token"]
    shades = [float(re.fullmatch(r"--shade:([\d.]+)", one["style"])[1]) for one in tokens]
    assert tokens[0]["title"] == "log-prob 0.000"
    assert shades[0] == 0
    assert shades[1] == pytest.approx(1 - 2.718281828**-0.1, abs=0.006)
    assert "Prüne 11 日本" in found.text.replace("\n", "")


def test_what_is_not_finite_is_counted(run):
    assert "1 values are not finite" in page(run).text


def test_a_run_that_is_broken_in_one_place_tells_the_rest(run):
    (run / "report.json").write_text('{"arms": 3')
    (run / "recipe.toml").write_text("= no")
    (run / "tokenizer" / "tokenizer.json").unlink()
    found = page(run, TRAINED)
    for part in ("report.json cannot be read", "recipe.toml cannot be read", "The context tree", "outcomes: 2 scored"):
        assert part in found.text


def test_a_run_that_holds_nothing_yet_is_a_page(tmp_path):
    RunStore(tmp_path / "run").close()
    found = page(tmp_path / "run")
    assert "no report yet" in found.text
    assert "no episode yet" in found.text


def test_a_run_is_read_while_it_is_written(run):
    with RunStore(run):
        assert "1 steps committed" in page(run).text


def test_an_unknown_episode_names_the_nearest(run):
    with pytest.raises(ConfigError, match="did you mean 00000-001-000"):
        page(run, "00000-001-00x")
