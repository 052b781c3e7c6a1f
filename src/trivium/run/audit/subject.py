"""What an audit reads: one step of a run with its episodes, and the rules that they must have kept."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from trivium.config import Recipe, load_kept
from trivium.episode import ConfigError, Episode, Invalid
from trivium.harness import Budget
from trivium.policy.rendering import Renderer
from trivium.run.budgeting import make_budget
from trivium.run.rendering import make_renderer
from trivium.store import Commit, Member, Row, RunStore
from trivium.watch import Finding


@dataclass(frozen=True)
class Rules:
    """What the recipe and the tokenizer of a run say of every episode."""

    recipe: Recipe
    renderer: Renderer
    budget: Budget
    vocabulary: int | None
    """Number of token ids that the model knows; None: no checkpoint tells."""

    @classmethod
    def of(cls, store: RunStore, counts: Counter[str]) -> "Rules":
        """The rules of a run; keys of its recipe that nothing reads any more are counted.

        Raises ConfigError when its recipe or tokenizer is gone, and for a supervised run.
        """
        if [event.text for event in store.journal.events("command")][:1] == ["sft"]:
            raise ConfigError(
                f"{store.folder} was made by trivium sft, and such runs are not audited yet; name an RL run"
            )
        if store.recipe is None:
            raise ConfigError(f"{store.folder} has no recipe.toml, so nothing can be compared with it; restore it")
        recipe, gone = load_kept(store.folder / "recipe.toml")
        counts["keys of the recipe that nothing reads any more"] += len(gone)
        renderer = make_renderer(recipe.policy, store.folder / "tokenizer")
        return cls(recipe, renderer, make_budget(recipe.budget), _vocabulary(store))


@dataclass(frozen=True)
class StepRecord:
    """A committed step as the store holds it: the ledger's rows, and every episode rolled out for it."""

    commit: Commit
    members: tuple[Member, ...]
    dropped: Mapping[str, str]
    episodes: Mapping[str, Episode]
    """By id, in the order of the plan."""
    rows: Mapping[str, Row]
    metrics: Mapping[str, float]

    @property
    def number(self) -> int:
        """The step, counted from 0."""
        return self.commit.step

    @property
    def ordinal(self) -> int:
        """The step as people count."""
        return self.commit.steps_done

    @property
    def tasks(self) -> int | None:
        """The number of training tasks, of which the epoch of a group follows; None: an older run did not say."""
        found = self.metrics.get("schedule.tasks")
        return None if found is None else int(found)

    @cached_property
    def valid(self) -> list[Episode]:
        """The episodes that have a reward."""
        return [e for e in self.episodes.values() if e.outcome is not None and not isinstance(e.outcome, Invalid)]

    @cached_property
    def trained(self) -> list[Episode]:
        """The stored episodes that the ledger calls members, in the order of the batch."""
        return [self.episodes[member.episode] for member in self.members if member.episode in self.episodes]

    def finding(
        self, kind: str, text: str, *episodes: str, node: int | None = None, token: int | None = None
    ) -> Finding:
        """A finding in this step."""
        return Finding(kind=kind, text=text, step=self.number, episodes=episodes, node=node, token=token)


def read_step(store: RunStore, commit: Commit) -> StepRecord:
    """A committed step. Raises StoreError when a record is torn."""
    found = {episode.id: episode for episode in store.episodes.find(step=commit.step)}
    return StepRecord(
        commit,
        tuple(store.ledger.members(commit.step)),
        store.ledger.dropped(commit.step),
        {name: found[name] for name in sorted(found)},
        {row.id: row for row in store.episodes.rows(commit.step)},
        store.journal.metrics(commit.step),
    )


def _vocabulary(store: RunStore) -> int | None:
    """Rows of the embedding, as the newest checkpoint's config.json says."""
    for commit in reversed(store.ledger.commits()):
        path = store.folder / commit.checkpoint / "config.json"
        if path.is_file():
            return int(json.loads(path.read_text())["vocab_size"])
    return None
