"""Supervised learning: the same rows, micro-batches and learner as RL, with every weight 1 and no behaviour policy.

    loss = - (1 / tokens) sum_t logp_theta,t        over action tokens: every token weighs the same, whatever its row

Use it as ``learner.step(demonstrations(episodes))``, of a learner with the loss ``Likelihood()`` and one sub-step.
"""

from collections import Counter
from collections.abc import Iterable

from trivium.episode import Episode

from .batch import Batch, Share
from .segments import cut


def demonstrations(episodes: Iterable[Episode], policy: str | None = None) -> Batch:
    """A batch that imitates the actions of `policy` (None: of all policies) in these episodes, scored or not."""
    shares, skipped = [], Counter[str]()
    for episode in episodes:
        done = cut(episode, policy, exact=False)
        shares.append(Share(episode.id, 1.0, done.segments))
        for reason, tokens in done.skipped.items():
            skipped[f"tokens skipped, {reason}"] += tokens
    tokens = sum(share.trained for share in shares)
    counts = {
        **skipped,
        "episodes trained": len(shares),
        "rows": sum(len(share.segments) for share in shares),
        "tokens trained": tokens,
    }
    return Batch(tuple(shares), float(max(1, tokens)), counts)
