"""One episode as a section: its tree, its prunes, what the window held, and every word of it."""

import tomllib
from collections.abc import Mapping

from trivium.episode import ConfigError
from trivium.harness import Budget
from trivium.store import RunStore, ordinal

from . import branches, window
from .markup import Markup, joined, paragraphs, tag
from .reading import Fate, decoder, fate, head_lines, pruned_of, tail_lines
from .words import node_block

LEGEND = ("system", "user", "action", "observation", "notice", "summary")


def episode_section(store: RunStore, name: str) -> Markup:
    """All about one episode. Raises StoreError when it is not there or torn."""
    episode = store.episodes.get(name)
    pruned, taken, decode = pruned_of(episode), fate(store, episode), decoder(store)
    trained = taken is not None and taken.advantage is not None
    nodes = [node_block(node, episode, decode, pruned, trained) for node in episode.tree.nodes]
    return joined(
        paragraphs([*head_lines(episode), _fate(taken)]),
        tag("p", *(tag("span", tag("span", class_=f"dot k-{kind}"), f"{kind} ") for kind in LEGEND), class_="quiet"),
        tag("h3", "What the window held at each turn"),
        window.drawing(window.turns(episode), limits(store), pruned),
        tag("h3", "The context tree"),
        tag("p", "What was edited away and transient notices lie beside the lane that goes on.", class_="quiet"),
        branches.drawing(episode, pruned, trained),
        tag("h3", "Node by node"),
        tag("p", "Sampled tokens are shaded by 1 - exp(log-prob): what is dark was unlikely.", class_="quiet"),
        *nodes,
        tag("h3", "How it ended"),
        tag("pre", "\n".join(tail_lines(episode, pruned))),
    )


def _fate(taken: Fate | None) -> str:
    if taken is None:
        return "in no batch: not trained"
    if taken.advantage is None:
        return f"dropped at step {ordinal(taken.step)}: {taken.reason}"
    return f"trained at step {ordinal(taken.step)}, advantage {taken.advantage:+.4f}"


def limits(store: RunStore) -> Mapping[str, int]:
    """Soft limit, hard limit and window of the run's recipe; none where it cannot be read."""
    try:
        config = tomllib.loads(store.recipe or "").get("budget", {})
        budget = Budget.of(config["window"], soft=config.get("soft"), hard=config.get("hard"))
    except (tomllib.TOMLDecodeError, KeyError, ConfigError):
        return {}
    return {"soft": budget.soft, "hard": budget.hard, "window": budget.window}
