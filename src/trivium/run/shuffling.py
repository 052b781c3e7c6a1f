"""The control that must not learn."""

import random
from collections.abc import Sequence

import msgspec

from trivium.episode import Episode


def shuffled(episodes: Sequence[Episode], seed: int) -> list[Episode]:
    """Copies of the episodes, with outcomes permuted inside each group."""
    rng = random.Random(seed)
    groups: dict[str, list[Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode.group, []).append(episode)
    result = []
    for members in groups.values():
        outcomes = [episode.outcome for episode in members]
        rng.shuffle(outcomes)
        result += [msgspec.structs.replace(e, outcome=o) for e, o in zip(members, outcomes, strict=True)]
    return result
