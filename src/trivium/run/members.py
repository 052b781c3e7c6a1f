"""From the batch of a step to the rows of the ledger: who trained, and why each other one did not."""

from collections.abc import Sequence

from trivium.episode import Episode
from trivium.learn import Batch, digest
from trivium.store import Member

from .rollout import Rolled


def member_rows(groups: Sequence[Rolled], batch: Batch) -> tuple[list[Member], dict[str, str]]:
    """The ledger's rows: episodes that trained, and why each other one did not."""
    shares = {share.episode: share for share in batch.shares}
    members, dropped = [], {}
    for group in groups:
        why = f"its group stayed short: {group.missing}" if group.missing else "the rewards of its group are equal"
        for episode in group.episodes:
            if (share := shares.get(episode.id)) is not None:
                members.append(Member(episode.id, share.advantage, weights_of(episode), digest(share.segments)))
            else:
                dropped[episode.id] = why
    return members, dropped


def weights_of(episode: Episode) -> tuple[str, ...]:
    """Every weights id that sampled a token of an episode."""
    ids = (weights for node in episode.tree.actions() if node.sampled for weights in node.sampled.versions.ids)
    return tuple(dict.fromkeys(ids))
