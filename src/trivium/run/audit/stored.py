"""The weights that are still there: the start (the recipe's model) and the checkpoints that the run keeps.

Always true: weights are used only when their content has the id under which tokens name them; a checkpoint that has
another content is a finding, a start that is another model now is counted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trivium.config import Recipe
from trivium.episode import TriviumError
from trivium.learn import checkpoint
from trivium.policy.lora import weights_id
from trivium.run.policy_folder import policy_folder
from trivium.run.policy_model import open_model
from trivium.store import Commit, RunStore, checkpoint_name
from trivium.watch import Finding


@dataclass
class StoredWeights:
    """Models by weights id, loaded when asked for; the last one stays loaded, since steps come in order."""

    recipe: Recipe
    folders: dict[str, Path]
    start: str | None
    """Id of the recipe's model as it is now."""
    _last: tuple[str, Any] | None = field(default=None, init=False)

    def model(self, weights: str) -> Any | None:
        """The model with these weights; None where they are not stored."""
        if weights not in self.folders:
            return None
        if self._last is None or self._last[0] != weights:
            self._last = weights, open_model(self.recipe.policy, self.folders[weights], self.recipe.seed)
        return self._last[1]


def stored_weights(store: RunStore, recipe: Recipe, counts: Counter[str]) -> tuple[StoredWeights, list[Finding]]:
    """What is stored, and what is not what it should be."""
    commits, findings = store.ledger.commits(), list[Finding]()
    folders: dict[str, Path] = {}
    newest = commits[-recipe.schedule.keep :]
    for commit in commits:
        found = list(_checkpoint(store, recipe, commit, kept=commit in newest))
        findings += found
        if not found and (store.folder / commit.checkpoint).is_dir():
            folders[commit.weights] = store.folder / commit.checkpoint
            counts["checkpoints whose weights are what the ledger says"] += 1
    start = _start(recipe, counts)
    if start is not None:
        folders[start[0]] = start[1]
    return StoredWeights(recipe, folders, None if start is None else start[0]), findings


def _checkpoint(store: RunStore, recipe: Recipe, commit: Commit, *, kept: bool) -> Iterator[Finding]:
    """A folder against its own hashes, and its content against the ledger."""
    folder, own = store.folder / commit.checkpoint, checkpoint_name(commit.step)
    if commit.checkpoint != own:
        text = f"step {commit.steps_done} points at {commit.checkpoint}, its own is {own}"
        yield _finding("checkpoint", commit, text)
    if not folder.is_dir():
        if kept:
            yield _finding(
                "checkpoint", commit, f"{commit.checkpoint} is gone, one of the newest {recipe.schedule.keep}"
            )
        return
    try:
        checkpoint.verify(folder)
        content = weights_id(open_model(recipe.policy, folder, recipe.seed))
    except TriviumError as error:
        yield _finding("checkpoint", commit, str(error))
        return
    if content != commit.weights:
        text = f"{commit.checkpoint} holds weights {content}, the ledger says {commit.weights}"
        yield _finding("weights", commit, text)


def _start(recipe: Recipe, counts: Counter[str]) -> tuple[str, Path] | None:
    """Id and folder of the recipe's model, where it is still there."""
    try:
        home = policy_folder(recipe.policy.model)
        return weights_id(open_model(recipe.policy, home, recipe.seed)), home
    except TriviumError as error:
        counts[f"start weights not loaded: {error}"] += 1
        return None


def _finding(kind: str, commit: Commit, text: str) -> Finding:
    return Finding(kind=kind, text=text, step=commit.step)
