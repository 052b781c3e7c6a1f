"""Runs on disk: episodes, rewards, metrics, events and the ledger of trained batches, in one SQLite file per run.

    RunStore ─┬─ episodes     put, get, find, pending, counts            episodes.py, episode_row.py, rewards.py
              ├─ journal      metrics (curves) and events                journal.py
              ├─ ledger       commit_batch, latest: one transaction      ledger.py
              └─ checkpoints  folders, whole or absent                   checkpoints.py

All stand on Database (transactions, errors; database.py), the tables of schema.py, the lock of lock.py and the files
and folders of atomic.py; steps.py says how steps are counted, address.py how people name one (RUN@STEP). What can be
made again lies elsewhere, in `cache_home` (cached.py).
"""

from .address import run_at
from .atomic import write_file, write_folder
from .cached import cache_home
from .checkpoints import checkpoint_name
from .episodes import Row
from .journal import Event, Note
from .ledger import Commit, Member
from .run_store import RunStore
from .steps import ordinal, step_of

__all__ = [
    "Commit",
    "Event",
    "Member",
    "Note",
    "Row",
    "RunStore",
    "cache_home",
    "checkpoint_name",
    "ordinal",
    "run_at",
    "step_of",
    "write_file",
    "write_folder",
]
