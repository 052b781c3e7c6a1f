"""Where a checkpoint comes from: its run, and what that run began from, back to a model that no run made."""

import json
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError

from trivium.config import PolicyConfig, read_no_more, still_read
from trivium.episode import ConfigError, DataError
from trivium.store import RunStore, run_at

from .report import Report, read_report


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """One step of one run."""

    run: Path
    command: str
    """``train`` or ``sft``: what made the run."""
    steps_done: int
    """Steps behind the weights (1: after the first)."""
    weights: str
    recipe: dict[str, Any]
    """As it was written; a key that is read no more does not stand in the way."""
    report: Report | None
    """Of the whole run, when it came to its end."""
    own_tasks: bool
    """Tasks, environment and rewards came from a script, not from the recipe."""
    parent: "Lineage | None"
    """The run that it began from."""

    @property
    def base(self) -> str:
        """The model behind the whole line that no run made: `embedded`, a folder or a name."""
        return self.parent.base if self.parent else str(self.policy.model)

    @property
    def read_no_more(self) -> list[str]:
        """The keys of the recipe that nothing reads any more."""
        return read_no_more(self.recipe)

    @property
    def policy(self) -> PolicyConfig:
        """The recipe's [policy]."""
        try:
            return PolicyConfig.model_validate(still_read(self.recipe).get("policy", {}))
        except ValidationError as error:
            raise ConfigError(f"{self.run / 'recipe.toml'} has a [policy] that is no more: {error}") from error

    @property
    def is_measured(self) -> bool:
        """True when the report's last arm was measured on exactly these weights."""
        return self.report is not None and self.report.steps == self.steps_done


def lineage_of(name: str) -> Lineage:
    """The line of RUN or RUN@step. Raises ConfigError for what is no run, and for a step that it never made."""
    run, steps_done = run_at(name)
    found = _lineage(run, steps_done, frozenset())
    if found is None:
        raise ConfigError(f"{run} is no run; export a checkpoint of a run: RUN or RUN@step")
    return found


def _lineage(run: Path, steps_done: int | None, seen: frozenset[Path]) -> Lineage | None:
    """A run's own facts and those before it; None where no run lies (any more)."""
    if not (run / "run.db").is_file() or run.resolve() in seen:
        return None
    with RunStore(run, readonly=True) as store:
        commit, latest = store.ledger.commit_at(steps_done), store.ledger.latest()
        made = store.journal.events("command")
        own = bool(store.journal.events("own_tasks"))
        recipe = tomllib.loads(store.recipe or "")
    if commit is None:
        raise ConfigError(f"the run {run} has no step {steps_done or 1}; it has {latest.steps_done if latest else 0}")
    before, at = run_at(str(recipe.get("policy", {}).get("model", "embedded")))
    return Lineage(
        run=run,
        command=made[0].text if made else "train",
        steps_done=commit.steps_done,
        weights=commit.weights,
        recipe=recipe,
        report=_report(run),
        own_tasks=own,
        parent=_lineage(before, at, seen | {run.resolve()}),
    )


def _report(run: Path) -> Report | None:
    try:
        return read_report(run / "report.json")
    except (DataError, json.JSONDecodeError):
        return None
