"""The curves of a run: which metrics stand together in a chart."""

from collections.abc import Mapping

from trivium.store import RunStore, ordinal

from .chart import Series, chart
from .markup import Markup, tag

PANELS: Mapping[str, Mapping[str, str]] = {
    "reward": {"term.reward": "reward"},
    "recall": {"term.recall": "of the output", "term.r_traj": "of all that was met"},
    "answer found": {"term.r_fa": "answer found"},
    "searches and turns": {"term.searches": "searches", "term.turns": "turns"},
    "prune accuracy": {"term.prune_accuracy": "prune accuracy"},
    "tokens of an episode": {"tokens.context": "longest context", "tokens.sampled": "sampled"},
    "entropy (nats)": {"learn.entropy": "entropy"},
    "loss": {"learn.loss": "loss"},
    "gradient norm": {"learn.grad_norm": "gradient norm"},
    "parity: ratio - 1 by quantile": {
        "parity.ratio.p50": "50 %", "parity.ratio.p90": "90 %", "parity.ratio.p99": "99 %",
        "parity.ratio.p99.9": "99.9 %",
    },
    "parity: k3": {"parity.k3": "k3"},
    "parity: largest |log ratio|": {"parity.max_log_ratio": "largest |log ratio|"},
    "seconds per step": {"seconds.step": "step", "seconds.rollouts": "rollouts", "seconds.update": "update"},
    "groups without difference": {"batch.groups constant": "groups"},
}  # fmt: skip
"""Title -> metric -> what it is called there."""
FROM_ONE = "parity.ratio."
"""Metrics that lie so close to 1 that their distance from it is drawn."""


def charts(store: RunStore) -> Markup:
    """Every panel of which some metric was recorded."""
    drawn = [_panel(store, title, metrics) for title, metrics in PANELS.items()]
    return tag("div", *(one for one in drawn if one), class_="charts")


def _panel(store: RunStore, title: str, metrics: Mapping[str, str]) -> Markup:
    shift = {name: 1.0 if name.startswith(FROM_ONE) else 0.0 for name in metrics}
    series = [
        Series(label, [(ordinal(step), value - shift[name]) for step, value in store.journal.curve(name)])
        for name, label in metrics.items()
    ]
    known = [one for one in series if one.points]
    return chart(title, known) if known else Markup()
