"""Training runs to be killed: `python nurse.py MODEL STEPS` trains in the folder of every line on stdin, a fork each.

What they do is told on stdout, one line at the entry of a phase or when a thing is done:

    ready PID                    a run lives
    planned STEP PLACE TASK SEED a group is asked for
    at MARK                      start, then for every step: rollout (unless all episodes are found), batch, step,
                                 deliver, write, named (the checkpoint has its name), flush (the ledger names it),
                                 collect, between
    stored EPISODE               the store has acknowledged an episode
    dead CODE                    (told by the nurse) the run is gone; -9 when it was killed

Importing once makes forty lives cheap. What is made before the fork are modules and caches, no thread and no run.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import small
import transformers

from trivium.learn import Learner
from trivium.policy.models import load_model
from trivium.run import Quiet, rollout
from trivium.run.checkpoint import Checkpointer
from trivium.run.rollout import Roller
from trivium.store.checkpoints import Checkpoints
from trivium.store.database import Database
from trivium.store.episodes import Episodes

Told = Callable[..., None]


def say(*words: object) -> None:
    """One line in one write: of a killed run it is whole or absent."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Teller(Quiet):
    """Tells every change of place once."""

    def __init__(self) -> None:
        self._mark = ""

    def at(self, mark: str) -> None:
        if mark != self._mark:
            self._mark = mark
            say("at", mark)

    def stage(self, name: str, total: int | None = None) -> None:
        if name.endswith("update"):
            self.at("batch")

    def trained(self, step: int, metrics: object) -> None:
        self.at("between")


def tell(owner: Any, name: str, before: Told = lambda *_: None, after: Told = lambda *_: None) -> None:
    """Wrap a seam: `before` and `after` get its arguments."""
    seam = getattr(owner, name)

    def told(*given: Any, **named: Any) -> Any:
        before(*given)
        result = seam(*given, **named)
        after(*given)
        return result

    setattr(owner, name, told)


def follow(teller: Teller) -> None:
    """Tell of the seams that a step passes."""
    at = teller.at
    tell(
        Roller,
        "group",
        before=lambda _, group, *rest: say("planned", group.step, group.place, group.task.id, group.seed),
    )
    tell(rollout, "run_episode", before=lambda *_: at("rollout"))
    tell(Episodes, "put", after=lambda _, episode: say("stored", episode.id))
    tell(Learner, "step", before=lambda *_: at("step"), after=lambda *_: at("deliver"))
    tell(Checkpointer, "commit", before=lambda *_: at("write"))
    tell(Checkpoints, "write", after=lambda *_: at("named"))
    tell(Database, "flush", before=lambda *_: at("flush"), after=lambda *_: at("collect"))


def live(model: str, steps: int, run: str) -> None:
    """Start or resume a run and train to its end."""
    say("ready", os.getpid())
    teller = Teller()
    follow(teller)
    teller.at("start")
    small.go(model, run, steps, resume=(Path(run) / "run.db").exists(), progress=teller)


def nurse(model: str, steps: int) -> None:
    """Fork a run for every folder on stdin, and say when it is dead."""
    transformers.utils.logging.disable_progress_bar()  # it draws in a thread
    load_model(Path(model))
    assert threading.active_count() == 1, "a fork would lose a thread"
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(model, steps, line.rstrip("\n"))
            return
        say("dead", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    nurse(sys.argv[1], int(sys.argv[2]))
    os._exit(0)  # to tear an interpreter down takes seconds
