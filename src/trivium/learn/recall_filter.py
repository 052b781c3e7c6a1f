"""Which traces of large models the policy is first taught with (Context-1 report).

With TR the trajectory recall and OR the output recall of a trace, in this order:
    malformed                            drop
    TR - OR > 0.4                        drop: found and not selected
    OR = 0                               one per query, and at most 5 % of what is kept: failures stay on purpose
    OR > 0.4                             one per query, the one with the best OR
    else                                 keep with probability OR / 0.4
(The report keeps TR > 0.5 and OR > 0.4 outright; with less TR the probability would be 1, so the two are one case.)
Draws depend on the seed and the trace's id alone, not on the order of the traces.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trivium.episode import DataError

BAR = 0.4
GAP = 0.4
ZERO_SHARE = 0.05


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What the filter must know of an expert's episode; recalls are in [0, 1]."""

    id: str
    query: str
    trajectory_recall: float
    output_recall: float
    malformed: bool = False


@dataclass(frozen=True)
class Selection:
    """The ids to keep, in the order given, and why every other one was dropped."""

    kept: tuple[str, ...]
    dropped: dict[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """Traces kept, and dropped by reason."""
        return {"kept": len(self.kept), **Counter(self.dropped.values())}


def recall_filter(traces: Iterable[Trace], *, seed: int) -> Selection:
    """Select traces for supervised learning. Raises DataError for a recall outside [0, 1] or an id given twice."""
    traces = list(traces)
    _check(traces)
    dropped: dict[str, str] = {}
    zeros: list[Trace] = []
    high: list[Trace] = []
    low: list[Trace] = []
    for trace in traces:
        if trace.malformed:
            dropped[trace.id] = "malformed"
        elif trace.trajectory_recall - trace.output_recall > GAP:
            dropped[trace.id] = "found and not selected"
        elif trace.output_recall == 0:
            zeros.append(trace)
        else:
            (high if trace.output_recall > BAR else low).append(trace)
    _one_per_query(high, seed, dropped, "another trace of the query is better")
    for trace in low:
        if _draw(seed, trace) >= trace.output_recall / BAR:
            dropped[trace.id] = "low recall"
    good = sum(trace.id not in dropped for trace in (*high, *low))
    _few_zeros(zeros, good, seed, dropped)
    return Selection(tuple(trace.id for trace in traces if trace.id not in dropped), dropped)


def _one_per_query(traces: Sequence[Trace], seed: int, dropped: dict[str, str], reason: str) -> list[Trace]:
    best: dict[str, Trace] = {}
    for trace in sorted(traces, key=lambda t: (t.output_recall, t.trajectory_recall, _draw(seed, t))):
        best[trace.query] = trace
    dropped.update({trace.id: reason for trace in traces if best[trace.query] is not trace})
    return list(best.values())


def _few_zeros(zeros: Sequence[Trace], good: int, seed: int, dropped: dict[str, str]) -> None:
    """z zeros beside g good ones are at most a share s of all: z <= g s / (1 - s)."""
    room = int(good * ZERO_SHARE / (1 - ZERO_SHARE) + 1e-9)
    firsts = _one_per_query(zeros, seed, dropped, "another failure of the query is kept")
    for trace in sorted(firsts, key=lambda t: _draw(seed, t))[room:]:
        dropped[trace.id] = "enough failures"


def _draw(seed: int, trace: Trace) -> float:
    return random.Random(f"{seed}:{trace.id}").random()


def _check(traces: Sequence[Trace]) -> None:
    seen: set[str] = set()
    for trace in traces:
        if trace.id in seen:
            raise DataError(f"trace {trace.id} is given twice")
        seen.add(trace.id)
        for name in ("trajectory_recall", "output_recall"):
            if not 0 <= getattr(trace, name) <= 1:
                raise DataError(f"trace {trace.id} has {name} {getattr(trace, name)}; a recall lies in [0, 1]")
