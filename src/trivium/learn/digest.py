"""The digest of an episode's rows: what the learner read and trained, named, so that an audit can cut them again."""

import hashlib
from collections.abc import Sequence

from .segments import Segment


def digest(segments: Sequence[Segment]) -> str:
    """SHA-256 (32 hex digits) over rows in order: tokens, which of them are trained and for which node, at which
    log-prob and temperature. Equal rows have equal digests on every machine."""
    state = hashlib.sha256()
    for row in segments:
        state.update(f"{len(row)} {[(span.node, span.start, span.stop) for span in row.spans]};".encode())
        for values, kind in ((row.tokens_T, "<i8"), (row.mask_T, "|b1"), (row.behaviour_T, "<f8")):
            state.update(values.astype(kind).tobytes())
        state.update(row.temperature_T.astype("<f8").tobytes())
    return state.hexdigest()[:32]
