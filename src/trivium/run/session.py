"""What one can do with a recipe: train, evaluate, and both in a row. The commands are thin around these.

A run folder holds everything: `recipe.toml`, `run.db`, `checkpoints/`, `tokenizer/`, `report.json`.
"""

import asyncio
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomli_w

from trivium.config import Recipe
from trivium.envs.search import build_world
from trivium.episode import ConfigError, StoreError, TriviumError
from trivium.learn import Learner
from trivium.store import RunStore

from .checkpoint import Checkpointer, restore
from .evaluate import Arm, evaluate
from .made_up import MakeUp, beside
from .parts import Parts, make_learner, open_parts, tokenizer_file
from .progress import Progress
from .report import Report, make_report
from .rollout import Roller
from .scheduler import Scheduler
from .sources import SearchSources, Sources


@dataclass
class Session:
    """An opened recipe: its parts and its tasks."""

    recipe: Recipe
    parts: Parts
    sources: Sources
    progress: Progress
    started: float

    @classmethod
    def open(cls, recipe: Recipe, progress: Progress, sources: Sources | None = None) -> "Session":
        """Load the model and, without `sources`, the recipe's corpus and tasks. Raises ConfigError or DataError."""
        started = time.monotonic()
        progress.stage("model")
        parts = open_parts(recipe)
        if sources is None:
            progress.stage("corpus and tasks")
            sources = _sources(recipe, parts)
        for line in sources.notes:
            progress.note(line)
        return cls(recipe, parts, sources, progress, started)

    async def evaluate(self, name: str, store: RunStore | None = None, samples: int | None = None) -> Arm | None:
        """The policy as it is now, on the held-out tasks (None when there are none)."""
        source = self.sources.held_out()
        if source is None:
            return None
        count = samples or self.recipe.eval.samples
        self.progress.stage(f"evaluation: {name}", len(source.tasks) * count)
        return await evaluate(
            name,
            source,
            self.parts.evaluation(),
            samples=count,
            store=store,
            tick=self.progress.tick,
            redraws=self.recipe.schedule.redraws,
        )

    async def train(self, store: RunStore) -> int:
        """Train to the recipe's end, from where the run stands; returns the number of committed steps."""
        learner, start = self._learner(store)
        roller = Roller(
            store,
            self.parts.training(),
            self.recipe.seed,
            self.recipe.schedule.group_size,
            self.recipe.schedule.redraws,
        )
        scheduler = Scheduler(
            self.recipe,
            store,
            self.sources.training,
            roller,
            learner,
            Checkpointer(store, self.parts.engine),
            self.progress,
            start,
        )
        return await scheduler.train()

    def _learner(self, store: RunStore) -> tuple[Learner, int]:
        """The learner in the state of the run's last commit, with the engine at the same weights."""
        learner = make_learner(self.parts.model, self.recipe.learn)
        commit = store.latest()
        if commit is None:
            return learner, 0
        restore(learner, store, commit)
        weights = Checkpointer(store, self.parts.engine).deliver(learner, commit.step + 1)
        if weights.id != commit.weights:
            raise ConfigError(
                f"checkpoint {commit.checkpoint} gives weights {weights.id}, the ledger says {commit.weights}; "
                "the run folder was altered: start a new run"
            )
        self.progress.note(f"resumed after step {commit.step + 1}")
        return learner, commit.step + 1


def _sources(recipe: Recipe, parts: Parts) -> SearchSources:
    count = parts.renderer.count
    world = build_world(recipe.environment, recipe.reward, count)
    if not recipe.environment.tasks.made_up:
        return SearchSources(world, recipe)
    make = MakeUp(recipe, world.train.library.corpus.documents, tokenizer_file(parts.home), count)
    return SearchSources(world, recipe, beside(make, len(world.train.tasks)))


def open_run(folder: Path, recipe: Recipe, home: Path, *, resume: bool, command: str = "train") -> RunStore:
    """Make or resume a run folder.

    Raises ConfigError when it exists and `resume` is not said, or when another command made it.
    """
    if (folder / "run.db").exists() and not resume:
        raise ConfigError(f"{folder} holds a run already; add --resume to go on with it, or choose another --run")
    store = RunStore(folder)
    try:
        store.write_recipe(recipe_text(recipe))
        _require_command(store, command)
        _require_ledger(store)
        if not (folder / "tokenizer").exists():
            _keep_tokenizer(home, folder / "tokenizer")
    except OSError as error:
        store.close()
        raise StoreError(f"{folder / 'tokenizer'} was not written ({error}); free the disk and resume") from error
    except TriviumError:
        store.close()
        raise
    return store


def _require_command(store: RunStore, command: str) -> None:
    made = store.events("command")
    if not made:
        store.add_event("command", command)
    elif made[0].text != command:
        raise ConfigError(
            f"{store.folder} was made by trivium {made[0].text}, not by trivium {command}; choose another --run"
        )


def _require_ledger(store: RunStore) -> None:
    """Refuse a `run.db` that is older than the checkpoints beside it: going on would delete them."""
    commit = store.latest()
    following = f"step-{commit.step + 1 if commit else 0:06d}"
    whole = [path.name for path in (store.folder / "checkpoints").glob("step-*") if path.suffix != ".partial"]
    beyond = max(whole, default="")
    if beyond > following:
        raise ConfigError(
            f"{store.folder / 'run.db'} knows nothing of checkpoints/{beyond}: it was altered; restore it, "
            f"or begin a new run with --set policy.model={store.folder / 'checkpoints' / beyond}"
        )


def recipe_text(recipe: Recipe) -> str:
    """A recipe with every default written out, as TOML."""
    return tomli_w.dumps(recipe.model_dump(mode="json", exclude_none=True))


def _keep_tokenizer(home: Path, to: Path) -> None:
    draft = to.with_name(".tokenizer.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    source = tokenizer_file(home).parent
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        if (source / name).is_file():
            shutil.copyfile(source / name, draft / name)
    draft.rename(to)


def train_run(
    recipe: Recipe, folder: Path, progress: Progress, *, resume: bool = False, sources: Sources | None = None
) -> Report:
    """`trivium train`: measure the start, train, measure the end, write `report.json`."""
    return asyncio.run(_train_run(recipe, folder, progress, resume, sources))


async def _train_run(recipe: Recipe, folder: Path, progress: Progress, resume: bool, sources: Sources | None) -> Report:
    session = Session.open(recipe, progress, sources)
    with open_run(folder, recipe, session.parts.home, resume=resume) as store:
        start = await measured_start(session, store)
        steps = await session.train(store)
        after = await session.evaluate("after", store)
        arms = [arm for arm in (start, after) if arm is not None]
        report = make_report(recipe, arms, [("start", "after")], steps, session.sources.notes, session.started)
        store.write_report(report.text())
    return report


async def measured_start(session: Session, store: RunStore) -> Arm | None:
    """The arm before training; a resumed run finds the one that it measured then."""
    kept = store.events("start_arm")
    if kept:
        return msgspec.convert(kept[-1].data, Arm)
    arm = await session.evaluate("start", store)
    if arm is not None:
        store.add_event("start_arm", "the policy before training, on the held-out tasks", msgspec.to_builtins(arm))
    return arm
