"""A run as one page: a file that needs nothing else, no network and no script.

Always true: every section stands for itself, so a run that is broken in one place shows all the others.
"""

from collections.abc import Callable
from pathlib import Path

from trivium.episode import TriviumError
from trivium.store import RunStore

from . import curves, overview, tables
from .episode_page import episode_section
from .markup import Markup, joined, paragraphs, tag
from .reading import known

STYLE = Path(__file__).with_name("page.css")


def run_page(store: RunStore, episode: str | None = None) -> str:
    """The page, with the episode of this id (None: a typical one that pruned). Raises ConfigError for an unknown id."""
    if episode is not None:
        known(store, episode)
    title = f"Trivium: {store.folder.resolve().name}"
    sections = [
        _section("Result", lambda: _result(store)),
        _section("Curves", lambda: curves.charts(store)),
        _section("Measured on held-out tasks", lambda: _arms(store)),
        _section("Reward terms", lambda: _families(store)),
        _section("Outcomes, findings and events", lambda: _happened(store)),
        _section("Episode", lambda: _episode(store, episode)),
        _section("Recipe", lambda: _recipe(store)),
        tag("p", overview.ways_on(store), class_="quiet"),
    ]
    style = tag("style", Markup(STYLE.read_text(encoding="utf-8")))
    meta = Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">')
    head = tag("head", meta, tag("title", title), style)
    body = tag("body", tag("h1", title), *sections)
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _section(title: str, build: Callable[[], Markup]) -> Markup:
    try:
        inner = build()
    except TriviumError as error:
        inner = tag("p", str(error), class_="bad")
    return tag("section", tag("h2", title), inner)


def _result(store: RunStore) -> Markup:
    steps = len(store.ledger.commits())
    found = overview.figures(store)
    if found is None:
        return tag("p", f"{steps} steps committed; no report yet: the run goes on, or was stopped before its end")
    done = tag("p", f"{found.steps} steps in {found.wall_seconds:.0f} s, of {steps} committed", class_="quiet")
    return joined(tables.headline(found), done)


def _happened(store: RunStore) -> Markup:
    return _lines([*overview.outcome_lines(store), *overview.finding_lines(store), *overview.event_lines(store)])


def _arms(store: RunStore) -> Markup:
    found = overview.figures(store)
    return tag("p", "no report yet") if found is None else tables.arms(found)


def _families(store: RunStore) -> Markup:
    found = overview.families(store)
    return tables.families(found.kinds, found.terms)


def _episode(store: RunStore, episode: str | None) -> Markup:
    name = episode or overview.typical(store)
    return tag("p", "no episode yet") if name is None else episode_section(store, name)


def _recipe(store: RunStore) -> Markup:
    return joined(tag("p", "Keys that differ from their defaults:"), _lines(overview.recipe_lines(store)))


def _lines(lines: list[str]) -> Markup:
    return tag("pre", "\n".join(lines)) if lines else paragraphs(["none"])
