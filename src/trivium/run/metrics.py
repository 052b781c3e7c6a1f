"""What a step reports: of its episodes (per task family too), and of the learner."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trivium.episode import Episode, Invalid, Node
from trivium.learn import StepReport


def rollout_metrics(episodes: Sequence[Episode]) -> dict[str, float]:
    """Means over the valid episodes: every term (also by family), every counter, tokens and turns."""
    valid = [episode for episode in episodes if not isinstance(episode.outcome, Invalid)]
    values: dict[str, list[float]] = defaultdict(list)
    for episode in valid:
        for term, value in episode.terms().items():
            values[f"term.{term}"].append(value)
            values[f"family.{episode.task.family}.{term}"].append(value)
        actions = episode.tree.actions()
        values["tokens.sampled"].append(sum(len(node.tokens) - node.lead for node in actions))
        values["tokens.not_recomputable"].append(_not_recomputable(actions))
        values["tokens.context"].append(max((node.end for node in actions), default=0))
    metrics = {name: sum(items) / len(items) for name, items in values.items()}
    names = {name for episode in valid for name in episode.counters}
    return metrics | {f"count.{name}": _mean(episode.counters.get(name, 0) for episode in valid) for name in names}


def batch_metrics(counts: Mapping[str, int]) -> dict[str, float]:
    """What a batch holds and leaves out."""
    return {f"batch.{name}": float(count) for name, count in counts.items()}


def learner_metrics(report: StepReport) -> dict[str, float]:
    """The learner's parity, loss and norms."""
    learned = {
        "loss": sum(part.loss for part in report.substeps) / len(report.substeps),
        "entropy": report.entropy,
        "clipped": report.clipped,
        "grad_norm": report.grad_norm,
        "seconds": report.seconds,
        "tokens_read": float(report.tokens_read),
    }
    learned |= {n: value for n, value in (("kl", report.kl), ("truncated", report.truncated)) if value is not None}
    return {f"learn.{name}": value for name, value in learned.items()} | _parity(report)


def mean_metrics(updates: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Each metric over the updates that have it."""
    names = {name for metrics in updates for name in metrics}
    return {name: _mean(metrics[name] for metrics in updates if name in metrics) for name in sorted(names)}


def _parity(report: StepReport) -> dict[str, float]:
    """How far the first sub-step's log-probs (before any update) are from those the engine sampled at."""
    parity = report.substeps[0].parity
    if parity is None:
        return {}
    quantiles = {f"parity.ratio.p{100 * q:g}": value for q, value in parity.ratio.items()}
    return quantiles | {"parity.max_log_ratio": parity.max_log_ratio, "parity.ess": parity.ess, "parity.k3": parity.k3}


def _not_recomputable(actions: Sequence[Node]) -> int:
    """Tokens sampled over keys and values of older weights."""
    return sum(node.sampled.versions.not_recomputable for node in actions if node.sampled is not None)


def _mean(values: Iterable[float]) -> float:
    items = list(values)
    return sum(items) / len(items) if items else 0.0
