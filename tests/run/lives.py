"""Lives of a training run and their ends: started in a nurse (nurse.py), killed at a chosen moment."""

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

SCRIPT = Path(__file__).with_name("nurse.py")
SILENCE = 180
"""Seconds after which a nurse that does not end a life is killed."""


@dataclass(frozen=True)
class Moment:
    """`delay` seconds after the `nth` line that begins with `line`."""

    line: str
    nth: int
    delay: float


@dataclass
class Life:
    """What a run told from its start to its death, and when it was heard."""

    told: list[tuple[float, str]] = field(default_factory=list)
    code: int | None = None

    def of(self, kind: str) -> list[list[str]]:
        """The words after `kind`, line by line."""
        return [line.split()[1:] for _, line in self.told if line.split()[0] == kind]

    @property
    def mark(self) -> str:
        """Where it was last."""
        return self.of("at")[-1][0]

    @property
    def stored(self) -> list[str]:
        """Episodes that the store acknowledged."""
        return [name for (name,) in self.of("stored")]

    @property
    def planned(self) -> list[tuple[str, ...]]:
        """Groups that were asked for: step, place, task, seed."""
        return [tuple(words) for words in self.of("planned")]

    @property
    def ended(self) -> bool:
        """It came to its end by itself."""
        return self.code == 0


class Nurse:
    """A process in which runs live one after the other."""

    def __init__(self, model: Path, steps: int) -> None:
        command = [sys.executable, str(SCRIPT), str(model), str(steps)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def live(self, run: Path, until: Moment | None = None) -> Life:
        """Start or resume a run, and kill it (SIGKILL) at a moment."""
        assert self._process.stdin is not None
        print(run, file=self._process.stdin, flush=True)
        life = Life()
        for line in self._lines():
            life.told.append((time.monotonic(), line))
            if until and line.startswith(until.line) and _count(life, until.line) == until.nth:
                time.sleep(until.delay)
                _kill(int(life.of("ready")[0][0]))
        life.code = int(life.of("dead")[0][0])
        assert life.ended or (until and life.code == -signal.SIGKILL), f"it ended with {life.code}: see above"
        return life

    def _lines(self) -> Iterator[str]:
        """Lines until the death of a run, that one included."""
        assert self._process.stdout is not None
        watchdog = threading.Timer(SILENCE, self._process.kill)
        watchdog.start()
        try:
            for line in self._process.stdout:
                yield line
                if line.startswith("dead "):
                    return
        finally:
            watchdog.cancel()
        raise AssertionError("the nurse is gone")

    def close(self) -> None:
        """End the nurse; a run that lives in it goes to its end."""
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()


def spans(life: Life) -> dict[str, float]:
    """Seconds that a run typically stays at each mark."""
    stays = defaultdict(list)
    for (begin, line), (end, _) in pairwise([(when, line) for when, line in life.told if line.startswith("at ")]):
        stays[line.strip()].append(end - begin)
    return {line: statistics.median(seconds) for line, seconds in stays.items()}


def length(life: Life) -> float:
    """Seconds from the first line to the last."""
    return life.told[-1][0] - life.told[0][0]


def _count(life: Life, line: str) -> int:
    return sum(told.startswith(line) for _, told in life.told)


def _kill(run: int) -> None:
    try:
        os.kill(run, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended by itself
