"""Log-probs of trained tokens, computed again under the weights that each token names, by the reference layout.

    fp32      |logp - behaviour| <= 1e-4 for every token
    others    k3 = mean(r - 1 - log r) <= 1e-3 over a step, r = exp(logp - behaviour): a single token of a bfloat16
              engine may be far off, their mean may not (the bar of Cursor's parity test of engine and learner)

Always true: a token is compared under exactly one weights id, or counted with the reason why not: its weights are gone,
or it was sampled over keys of older ones (mode `keep_kv`), so that no one set of weights gives it again.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from trivium.episode import Episode
from trivium.learn import Segment, Share, segment_layout
from trivium.learn.logprobs import read
from trivium.learn.trained_tokens import weighted_segments
from trivium.watch import Finding

from .stored import StoredWeights
from .subject import StepRecord

FLOAT32_BAR = 1e-4
K3_BAR = 1e-3
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Token:
    """One trained token: who sampled it, under which weights, at which log-prob; `again` is None where it was not
    computed again."""

    episode: str
    node: int
    place: int
    """In its node."""
    id: int
    policy: str
    role: str
    weights: str
    temperature: float
    logprob: float
    again: float | None

    @property
    def gap(self) -> float:
        """|again - logprob|; not a number where it was not computed."""
        return math.nan if self.again is None else abs(self.again - self.logprob)


def tokens_of(
    step: StepRecord, segments: Sequence[Segment], weights: StoredWeights, counts: Counter[str]
) -> list[Token]:
    """Every trained token of these rows of members, computed again where that can be done."""
    named = {segment: list(sampled_under(segment, step.episodes[segment.episode])) for segment in segments}
    mixed = sum(mark for told in named.values() for _, mark in told)
    counts["tokens not computed again: sampled over keys of older weights (keep_kv)"] += mixed
    again = {segment: np.full(segment.trained, np.nan) for segment in segments}
    for weights_id in sorted({one for told in named.values() for one, mark in told if not mark}):
        mine = [segment for segment in segments if (weights_id, False) in named[segment]]
        model = weights.model(weights_id)
        if model is None:
            missing = sum(told.count((weights_id, False)) for told in named.values())
            counts["tokens not computed again: their weights are no longer stored"] += missing
            continue
        for segment, logp_N in _read(model, mine):
            here = np.asarray([told == (weights_id, False) for told in named[segment]])
            again[segment][here] = logp_N[here]
            counts["tokens computed again"] += int(here.sum())
    return [token for s in segments for token in _tokens(s, step.episodes[s.episode], named[s], again[s])]


@torch.no_grad()
def _read(model: torch.nn.Module, segments: Sequence[Segment]) -> Iterator[tuple[Segment, Floats]]:
    """The log-probs of the trained tokens of each segment."""
    layout = segment_layout(model, 8192)
    for micro_batch in layout.micro_batches(weighted_segments([Share("", 0.0, tuple(segments))])):
        logp_N = read(model, micro_batch, layout.predict).logp_N.double().cpu().numpy()
        read_segments = [one.segment for one in micro_batch.trained.segments]
        edges = np.cumsum([segment.trained for segment in read_segments])[:-1]
        yield from zip(read_segments, np.split(logp_N, edges), strict=True)


def sampled_under(segment: Segment, episode: Episode) -> Iterator[tuple[str, bool]]:
    """The weights id of each trained token of a row, and whether keys of older weights were read with it."""
    for span in segment.spans:
        sampled = episode.tree.nodes[span.node].sampled
        assert sampled is not None
        yield from list(sampled.versions.tokens())[-(span.stop - span.start) :]


def _tokens(segment: Segment, episode: Episode, named: Sequence[tuple[str, bool]], again: Floats) -> Iterator[Token]:
    at = 0
    for span in segment.spans:
        node = episode.tree.nodes[span.node]
        sampled = node.sampled
        assert sampled is not None
        for position in range(span.start, span.stop):
            value = float(again[at])
            yield Token(
                episode=episode.id,
                node=node.id,
                place=position - node.start,
                id=int(segment.tokens_T[position]),
                policy=sampled.policy,
                role=sampled.role,
                weights=named[at][0],
                temperature=sampled.temperature,
                logprob=float(segment.behaviour_T[position]),
                again=None if math.isnan(value) else value,
            )
            at += 1


def compared(step: StepRecord, tokens: Sequence[Token], dtype: str) -> Iterator[Finding]:
    """Tokens that are not what their weights say: the first of each action, or the step's mean beyond fp32."""
    known = [token for token in tokens if token.again is not None]
    if dtype == "float32":
        seen = set()
        for token in known:
            if not token.gap <= FLOAT32_BAR and (token.episode, token.node) not in seen:
                seen.add((token.episode, token.node))
                yield _finding(step, token)
    elif known and not k3(known) <= K3_BAR:
        yield _finding(step, max(known, key=lambda token: token.gap), f"; the step's k3 is {k3(known):.2e}")


def k3(tokens: Sequence[Token]) -> float:
    """mean(r - 1 - log r) over tokens that were computed again."""
    log_ratios = [token.again - token.logprob for token in tokens if token.again is not None]
    return math.fsum(math.expm1(x) - x for x in log_ratios) / len(log_ratios)


def _finding(step: StepRecord, token: Token, more: str = "") -> Finding:
    text = (
        f"token {token.id} of action #{token.node} was sampled at log-prob {token.logprob:.6f}, "
        f"weights {token.weights} give {token.again:.6f}{more}"
    )
    return step.finding("logprob", text, token.episode, node=token.node, token=token.place)
