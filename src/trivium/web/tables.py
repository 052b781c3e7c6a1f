"""Arms and differences as people read them: every figure with its interval."""

from collections.abc import Mapping

from trivium.bench import METRICS, Interval, arm_title, metric_title

from .markup import Markup, joined, paragraphs, table, tag
from .overview import Figures


def headline(found: Figures) -> Markup:
    """The first comparison, a card per metric."""
    name, compared = next(iter(found.differences.items()), ("", {}))
    cards = [
        tag("div", tag("b", f"{value.mean:+.3f}"), tag("span", metric_title(metric)), tag("small", _ends(value)))
        for metric, value in compared.items()
    ]
    told = tag("p", f"{arm_title(name)}, on held-out tasks, with 95 % intervals") if cards else Markup()
    return joined(told, tag("div", *cards, class_="cards"))


def arms(found: Figures) -> Markup:
    """A row per arm, then every difference."""
    if not found.arms:
        return tag("p", "nothing was measured on held-out tasks")
    shown = [metric for metric in METRICS if any(metric in figures for figures in found.arms.values())]
    rows = [[arm_title(arm), *(_cell(figures.get(metric)) for metric in shown)] for arm, figures in found.arms.items()]
    head = ("policy", *(metric_title(metric) for metric in shown))
    differences = [
        [arm_title(name), *(_cell(of.get(metric)) for metric in shown)] for name, of in found.differences.items()
    ]
    source = [f"{found.command or 'command not recorded'}; commit {found.commit or 'not recorded'}; {found.machine}"]
    notes = tag("details", tag("summary", "what was read, made and skipped"), paragraphs(found.notes))
    return joined(table(head, rows + differences), paragraphs(source, class_="quiet"), notes if found.notes else "")


def families(kinds: list[str], terms: Mapping[str, list[float | None]]) -> Markup:
    """The reward terms of the last step, by task family."""
    if not terms:
        return tag("p", "no step was committed yet")
    rows = [
        [metric_title(term), *("-" if value is None else f"{value:.4g}" for value in values)]
        for term, values in terms.items()
    ]
    return table(("term, last step", *kinds), rows)


def _cell(value: Interval | None) -> Markup:
    return joined("-") if value is None else joined(f"{value.mean:.3f}", tag("small", f" {_ends(value)}"))


def _ends(value: Interval) -> str:
    if value.low is None or value.high is None:
        return f"no interval, n = {value.n}"
    return f"{value.low:.3f} to {value.high:.3f}, n = {value.n}"
