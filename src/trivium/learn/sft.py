"""Supervised learning: the same rows, micro-batches and learner as RL, with every weight 1 and no behaviour policy.

    loss = - (1 / tokens) sum_t logp_theta,t        over action tokens: every token weighs the same, whatever its row

Use it as ``Learner(model, AdamW(lr=...), Likelihood(), substeps=1).step(demonstrations(episodes))``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from trivium.episode import DataError, Episode

from .batch import Batch, Share
from .segments import Segment, cut


def demonstrations(episodes: Iterable[Episode], policy: str | None = None) -> Batch:
    """A batch that imitates the actions of `policy` (None: of all policies) in these episodes, scored or not."""
    shares, skipped = [], Counter[str]()
    for episode in episodes:
        done = cut(episode, policy, exact=False)
        shares.append(Share(episode.id, 1.0, done.segments))
        for reason, tokens in done.skipped.items():
            skipped[f"tokens skipped, {reason}"] += tokens
    return _batch(shares, dict(skipped))


def imitation(rows: Iterable[Segment]) -> Batch:
    """A batch of explicit rows; each counts as an episode of its own."""
    return _batch([Share(row.episode, 1.0, (row,)) for row in rows], {})


def row(id: str, tokens: Sequence[int], mask: Sequence[bool]) -> Segment:
    """A row of plain tokens: `mask[t]` says that token t is learned. Raises DataError when the two do not match."""
    if len(tokens) != len(mask):
        raise DataError(f"row {id} has {len(tokens)} tokens and a mask of {len(mask)}; they must be as long")
    if len(mask) and mask[0]:
        raise DataError(f"row {id} trains its first token, which nothing stands before; mask it out")
    tokens_T, mask_T = np.asarray(tokens, dtype=np.int64), np.asarray(mask, dtype=np.bool_)
    return Segment(id, tokens_T, mask_T, np.zeros(len(tokens)), np.ones(len(tokens)))


def _batch(shares: Sequence[Share], counts: dict[str, int]) -> Batch:
    tokens = sum(share.trained for share in shares)
    counts |= {
        "episodes trained": len(shares),
        "rows": sum(len(share.segments) for share in shares),
        "tokens trained": tokens,
    }
    return Batch(tuple(shares), float(max(1, tokens)), counts)
