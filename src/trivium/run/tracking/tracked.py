"""The trackers of a recipe beside a run's progress."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from trivium.config import Recipe
from trivium.run.progress import Progress
from trivium.run.setup import Setup
from trivium.store import RunStore

from .line import Line
from .mlflow import MLflow
from .tensorboard import TensorBoard
from .tracker import Tracker, recorded, require


class Told:
    """A progress that sends every trained step down its lines too."""

    def __init__(self, progress: Progress, lines: Sequence[Line]) -> None:
        self.stage, self.tick, self.note = progress.stage, progress.tick, progress.note
        self._progress, self._lines = progress, lines

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """A step was committed."""
        self._progress.trained(step, metrics)
        for line in self._lines:
            line.send(step, metrics)


@contextmanager
def tracked(setup: Setup, store: RunStore) -> Iterator[Setup]:
    """The setup, whose committed steps go to the recipe's trackers too. Raises ConfigError for a missing package."""

    def tell(text: str) -> None:
        setup.progress.note(text)
        store.journal.add_event("tracker", text)

    openers = _openers(setup.recipe, store)
    lines = [Line(name, opener, partial(recorded, store), tell) for name, opener in openers.items()]
    try:
        yield replace(setup, progress=Told(setup.progress, lines)) if lines else setup
    finally:
        for line in lines:
            line.close()


def _openers(recipe: Recipe, store: RunStore) -> Mapping[str, Callable[[], Tracker]]:
    """What opens each tracker that the recipe names."""
    openers: dict[str, Callable[[], Tracker]] = {}
    if recipe.track.tensorboard:
        require("tensorboard", "tensorboard")
        openers["TensorBoard"] = lambda: TensorBoard(store.folder / "tensorboard")
    if (address := recipe.track.mlflow) is not None:
        require("mlflow", "mlflow")
        openers["MLflow"] = lambda: MLflow(address, recipe.name, store)
    return openers
