"""The line to one tracker: a thread that opens it and sends, so that the run never waits and never fails for it.

Always true: a step that could not be sent stays in the line and is tried again with the next one; what is left at the
end is counted. Steps rise, and none is sent that the tracker has.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping

from .tracker import Tracker

GRACE_S = 20.0
"""How long the end of a run waits for its trackers."""
Step = tuple[int, Mapping[str, float]]


class Line:
    """Sends steps to the tracker that `open_tracker` gives: those `behind` the last one that it has, then what comes.

    `tell` is told the first failure, and at the end what was not sent.
    """

    def __init__(
        self,
        name: str,
        open_tracker: Callable[[], Tracker],
        behind: Callable[[int], Iterable[Step]],
        tell: Callable[[str], None],
    ) -> None:
        self.name, self.failures = name, 0
        self._open, self._behind, self._tell = open_tracker, behind, tell
        self._tracker: Tracker | None = None
        self._last = -1
        self._why = "it is slow"
        self._closed = False
        self._coming: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self._waiting: deque[Step] = deque()
        self._thread = threading.Thread(target=self._work, name=f"tracker {name}", daemon=True)
        self._thread.start()

    def send(self, step: int, values: Mapping[str, float]) -> None:
        """Put a step in the line; never waits."""
        self._coming.put((step, dict(values)))

    def close(self, grace: float | None = None) -> None:
        """Wait a while (`GRACE_S`) for what is in the line, tell what was not sent, and send nothing more."""
        self._coming.put(None)
        self._thread.join(GRACE_S if grace is None else grace)
        self._closed = True
        if self._thread.is_alive() or self.failures:
            left = len(self._waiting) + max(0, self._coming.qsize() - 1)
            self._tell(f"{self.name} failed {self.failures} times; {left} steps were not sent ({self._why})")
        self._tell = lambda _: None

    def _work(self) -> None:
        self._try(self._send)
        while (step := self._coming.get()) is not None:
            self._waiting.append(step)
            self._try(self._send)
        self._try(self._end)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  the boundary: whatever a tracker and its server raise
            self._why = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            self.failures += 1
            if self.failures == 1:
                self._tell(f"{self.name} failed, and the run goes on without it ({self._why})")

    def _send(self) -> None:
        if self._tracker is None:
            self._tracker = self._open()
            self._last = self._tracker.last
            self._waiting.extendleft(reversed(list(self._behind(self._last))))
        while self._waiting and not self._closed:
            step, values = self._waiting[0]
            if step > self._last:
                self._tracker.log(step, values)
                self._last = step
            self._waiting.popleft()

    def _end(self) -> None:
        self._send()
        if self._tracker is not None:
            self._tracker.close()
