import shutil
from pathlib import Path

import pytest

from run.small import go
from trivium.run.audit import Audit, Auditor
from trivium.store import RunStore

from .pages import search_run, write_pages


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps of the embedded policy: prunes, notices, tree batches."""
    folder = tmp_path_factory.mktemp("searched")
    return search_run(write_pages(folder / "pages"), folder / "run", 2)


@pytest.fixture(scope="session")
def small(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps of a random model: one turn an episode, by segments."""
    run = tmp_path_factory.mktemp("small") / "run"
    go(str(model_folder), str(run), 2)
    return run


def audit(run: Path) -> Audit:
    with RunStore(run, readonly=True) as store:
        return Auditor(store).audit()


def copied(run: Path, to: Path) -> Path:
    return Path(shutil.copytree(run, to))
