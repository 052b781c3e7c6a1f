"""Several episodes of one question, judged as one answer: what they cited, fused by reciprocal rank.

Always true: episodes of one task share a presentation, so what they cited are the same documents; a task with fewer
valid episodes than are fused is left out and counted. An answer that one of them cited is in the fused one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trivium.bench import Interval, bootstrap_mean, bootstrap_paired, fused
from trivium.envs import Source
from trivium.envs.search import SearchEnvironment
from trivium.episode import Episode, Invalid
from trivium.reward import SearchRecord

from .evaluate import presentation_seed

JUDGED = ("recall", "precision", "f1", "r_fa")
"""Metrics of an output alone: no turn, no trajectory."""


class Fusion(msgspec.Struct, frozen=True):
    """A metric of the fused lists over tasks, and by how much it is above the mean of the same single lists."""

    fused: Interval
    gain: Interval


def fusion(source: Source, episodes: Iterable[Episode], count: int) -> tuple[dict[str, Fusion], int]:
    """Every metric of the fused lists of `count` episodes, and the number of tasks left out.

    A task with more valid episodes gives the mean over disjoint sets of `count`, in order of their ids.
    """
    lived = _by_group(episodes)
    pairs = []
    for index, task in enumerate(source.tasks):
        found = lived[f"eval-{index}"]
        if len(found) >= count:
            environment = source.open(task, presentation_seed(index))
            assert isinstance(environment, SearchEnvironment)
            pairs.append(_judged(environment, [environment.record(episode) for episode in found], count))
    if not pairs:
        return {}, len(source.tasks)
    folded = {
        metric: Fusion(
            bootstrap_mean([together[metric] for _, together in pairs]),
            bootstrap_paired([alone[metric] for alone, _ in pairs], [together[metric] for _, together in pairs]),
        )
        for metric in JUDGED
    }
    return folded, len(source.tasks) - len(pairs)


def _by_group(episodes: Iterable[Episode]) -> Mapping[str, list[Episode]]:
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda episode: episode.id):
        if not isinstance(episode.outcome, Invalid):
            groups[episode.group].append(episode)
    return groups


def _judged(
    environment: SearchEnvironment, records: Sequence[SearchRecord], count: int
) -> tuple[dict[str, float], dict[str, float]]:
    """The metrics of the single lists, and of the fused ones, each as a mean over the sets."""
    sets = [records[start : start + count] for start in range(0, len(records) - count + 1, count)]
    alone = [_metrics(environment, record.output, record.answered) for one in sets for record in one]
    together = [
        _metrics(
            environment,
            fused([record.output for record in one], environment.cites),
            any(record.answered for record in one),
        )
        for one in sets
    ]
    return _mean(alone), _mean(together)


def _metrics(environment: SearchEnvironment, documents: tuple[str, ...], answered: bool) -> dict[str, float]:
    bare = SearchRecord(met=frozenset(), output=documents, answered=answered, turns=0, prune_only=())
    found = {reward.term: reward.value for reward in environment.judge(bare)}
    return {metric: found[metric] for metric in JUDGED}


def _mean(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {metric: sum(one[metric] for one in values) / len(values) for metric in JUDGED}
