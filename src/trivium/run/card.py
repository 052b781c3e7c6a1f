"""The model card of an exported policy: README.md with YAML in front, from what the run itself recorded.

Always true: a figure is shown with its interval, and only where it was measured on exactly these weights.
"""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from trivium.bench import Interval
from trivium.config import changed_keys

from .lineage import Lineage
from .report import COMPARED

LIMITS = (
    "Outside the harness that it was trained in: other tools, another chat format or a longer window were never seen.",
    "As a source of facts, or where nobody checks what it cites: what it knows comes from what its tools return.",
    "To decide about people: medicine, law, credit, work, police, or anything else that needs a person's judgement.",
    "To act on its own where a wrong action costs something: it was rewarded on the tasks above and on nothing else.",
)
"""What an exported policy must not be used for, whatever it was trained on."""


class Form(StrEnum):
    """What an exported folder holds, in the words of its card."""

    WHOLE = "a whole model"
    ADAPTER = "an adapter (LoRA), without its base"
    MERGED = "an adapter (LoRA), merged into its base"


def card(made: Lineage, form: Form) -> str:
    """The text of README.md."""
    title = made.recipe.get("name", made.run.name)
    lines = [
        *_front(made, form),
        f"# {title}, step {made.steps_done}",
        "",
        f"A policy trained by [Trivium](https://github.com/trivium-rl/trivium) from `{made.base}`: "
        f"{form}; weights `{made.weights}`.",
        *_section("How it was made", _line(made)),
        *_section("Recipe", ["Keys that differ from their defaults:", "", "```", *changed_keys(made.recipe), "```"]),
        *_section("Data", _data(made)),
        *_section("Measured", _figures(made)),
        *_section("Must not be used", [f"- {limit}" for limit in LIMITS]),
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", "", *lines]


def _front(made: Lineage, form: Form) -> list[str]:
    """YAML, of which JSON is a part, so no value can break out of its line."""
    license_name = license_of(made.base)
    front: dict[str, Any] = {
        "license": license_name,
        **({"license_name": "see the base model"} if license_name == "other" else {}),
        **({"base_model": made.base} if _is_on_a_hub(made.base) else {}),
        "library_name": "peft" if form is Form.ADAPTER else "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["trivium", "reinforcement-learning", "agent", made.command],
    }
    return ["---", *(f"{key}: {json.dumps(value)}" for key, value in front.items()), "---", ""]


def license_of(base: str) -> str:
    """The license of the base, which its weights keep: of a folder by its own card, else ``other``."""
    if base == "embedded":
        return "apache-2.0"
    file = Path(base) / "README.md"
    front = file.read_text(encoding="utf-8", errors="replace").split("---")[1:2] if file.is_file() else []
    named = [line.partition(":")[2] for text in front for line in text.splitlines() if line.startswith("license:")]
    return named[0].strip().strip("\"'") if named else "other"


def _is_on_a_hub(base: str) -> bool:
    return base.count("/") == 1 and not base.startswith((".", "/", "~")) and not Path(base).exists()


def _line(made: Lineage) -> list[str]:
    """The runs behind it, the last one first."""
    lines = []
    for one in _generations(made):
        report = one.report
        by = f"`{report.command}`" if report and report.command else f"`trivium {one.command}`"
        at = f", commit `{report.commit}`" if report and report.commit else ", commit not recorded"
        where = f", {report.machine}, {report.wall_seconds:.0f} s" if report else ", not run to its end"
        lines.append(f"- `{one.run}`, step {one.steps_done}: {by}{at}{where}")
    return [*lines, f"- base: `{made.base}`"]


def _generations(made: Lineage) -> Iterator[Lineage]:
    one: Lineage | None = made
    while one is not None:
        yield one
        one = one.parent


def _data(made: Lineage) -> list[str]:
    if made.own_tasks:
        return ["Tasks, tools and rewards of the script that trained it, which the run does not keep."]
    environment: Mapping[str, Any] = made.recipe.get("environment", {})
    tables = {name: value for name, value in environment.items() if isinstance(value, dict)}
    said = [f"- {name}: `{json.dumps(value)}`" for name, value in tables.items()]
    notes = made.report.notes if made.report else []
    return [*said, *(f"- {note}" for note in notes)] or ["- the defaults of the recipe"]


def _figures(made: Lineage) -> list[str]:
    if not made.is_measured or made.report is None or not made.report.arms:
        return [f"Not measured: the run has no report of step {made.steps_done}."]
    arms, names = made.report.arms, list(made.report.arms)
    metrics = [name for name in COMPARED if any(name in figures for figures in arms.values())]
    rows = [[f"{arm} | " + " | ".join(shown(arms[arm].get(metric)) for metric in metrics)] for arm in names]
    compared = [
        f"- {pair}: " + ", ".join(f"{metric} {shown(value)}" for metric, value in figures.items())
        for pair, figures in made.report.differences.items()
    ]
    head = ["| policy | " + " | ".join(metrics) + " |", "|" + "---|" * (len(metrics) + 1)]
    table = [*head, *(f"| {cells[0]} |" for cells in rows)]
    return ["Held-out tasks; mean (95 % interval over tasks).", "", *table, "", *compared]


def shown(value: Interval | None) -> str:
    """A mean with its interval, in a line."""
    if value is None:
        return "-"
    ends = "n/a" if value.low is None or value.high is None else f"{value.low:.3f} to {value.high:.3f}"
    return f"{value.mean:.3f} ({ends}; n = {value.n})"
