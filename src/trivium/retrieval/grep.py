"""Regular expressions over chunks, with a limit on time and memory that no pattern can break.

The matching runs in a helper process that knows only the texts: Python's `re` cannot be interrupted, and the `regex`
package, which can, ignores its time limit while it prepares a long or counted pattern (3,000 letters took 30 s, and
`(?:a{9999}){9999}` all memory). The helper starts on the first call, answers one call at a time, is ended by its own
alarm when a pattern is over its time, and starts again on the next.

Always true: what is wrong with a pattern is a `problem` in the result, never an exception; a helper that stalls or dies
by anything but its alarm is asked anew once, then it is a ToolError, and never held against the pattern.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

import msgspec

from trivium.episode import ToolError

from .document import Chunk

WORKER = Path(__file__).with_name("_grep_worker.py")
PATTERN_LIMIT = 1_000  # characters
LIMIT = 5  # chunks
TIMEOUT_S = 1.0
GRACE_S = 2.0  # the helper's own alarm comes first
START_S = 30.0
ALARM = getattr(signal, "SIGALRM", None)
"""What ends a helper over its time, where the system has alarms."""


class Matches(msgspec.Struct, frozen=True):
    """The first chunks that match, in corpus order; `problem` is one sentence, empty when all went well."""

    chunks: tuple[Chunk, ...] = ()
    problem: str = ""


class _Reply(msgspec.Struct):
    rows: list[int] = []
    problem: str = ""


class Grep:
    """A searcher of `chunks`; safe to share between threads, and to inherit by a fork or a pickle."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def __reduce__(self) -> tuple[type["Grep"], tuple[Sequence[Chunk]]]:
        return (Grep, (self._chunks,))

    def search(self, pattern: str, limit: int = LIMIT, timeout_s: float = TIMEOUT_S) -> Matches:
        """Up to `limit` chunks whose title or text matches `pattern` (case-sensitive; ^ and $ match at lines).

        Raises ToolError when the helper could not be started, or died or stalled twice.
        """
        if not pattern:
            return Matches(problem="the pattern is empty; give a regular expression")
        if len(pattern) > PATTERN_LIMIT:
            return Matches(problem=f"the pattern has {len(pattern)} characters; at most {PATTERN_LIMIT} are allowed")
        request = json.dumps({"pattern": pattern, "limit": limit, "timeout_s": timeout_s})
        with self._lock:
            reply = self._ask(request, timeout_s) or self._ask(request, timeout_s)
        if reply is None:
            raise ToolError(
                f"the grep helper ({sys.executable} {WORKER}) died or stalled twice over one call; check the memory"
            )
        return Matches(tuple(self._chunks[row] for row in reply.rows), reply.problem)

    def close(self) -> None:
        """Ends the helper; a later search starts another."""
        with self._lock:
            self._drop()

    def _ask(self, request: str, timeout_s: float) -> _Reply | None:
        """The helper's reply; None when it died or stalled, for which the pattern is not to blame."""
        worker = self._live()
        reply = _exchange(worker, request, timeout_s + GRACE_S)
        if reply is None:
            self._drop()
            if _is_spent(worker):
                return _Reply(problem=f"the pattern did not finish within {timeout_s:g} s; use a simpler one")
        return reply

    def _live(self) -> subprocess.Popen[bytes]:
        """The helper of this very process, started if there is none."""
        if self._worker is not None and self._owner == os.getpid() and self._worker.poll() is None:
            return self._worker
        self._drop()
        self._worker, self._owner = _start(), os.getpid()
        weakref.finalize(self, _end, self._worker, self._owner)
        if (
            _exchange(self._worker, json.dumps([f"{piece.title}\n{piece.text}" for piece in self._chunks]), START_S)
            is None
        ):
            self._drop()
            raise ToolError(f"the grep helper ({sys.executable} {WORKER}) did not start; check that it can be run")
        return self._worker

    def _drop(self) -> None:
        if self._worker is not None:
            _end(self._worker, self._owner)
        self._worker = None


def _is_spent(worker: subprocess.Popen[bytes]) -> bool:
    """Whether a dead helper was ended by its alarm (without alarms: by the parent's clock)."""
    return worker.returncode == (-ALARM if ALARM is not None else 1)


def _start() -> subprocess.Popen[bytes]:
    """A helper process, isolated from the user's environment and site packages."""
    command = [sys.executable, "-I", "-S", str(WORKER)]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise ToolError(f"the grep helper {command} could not be started ({error}); check the interpreter") from error


def _exchange(worker: subprocess.Popen[bytes], line: str, deadline_s: float) -> _Reply | None:
    """Sends a line and reads one; None when the helper died or was killed at the deadline."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    clock = threading.Timer(deadline_s, worker.kill)
    clock.daemon = True
    clock.start()
    try:
        worker.stdin.write(line.encode() + b"\n")
        worker.stdin.flush()
        answer = worker.stdout.readline()
    except OSError:  # it died between two calls
        return None
    finally:
        clock.cancel()
    return msgspec.json.decode(answer, type=_Reply) if answer.endswith(b"\n") else None


def _end(worker: subprocess.Popen[bytes], owner: int) -> None:
    """Kills and reaps a helper; a forked child only closes its copies of the pipes."""
    for pipe in (worker.stdin, worker.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:
            pass  # unsent bytes to a dead helper are of no interest
    if owner == os.getpid():
        worker.kill()
        worker.wait()
