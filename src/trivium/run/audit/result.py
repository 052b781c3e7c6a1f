"""The result of an audit: what was trained, by whom it was sampled, what was checked and what is wrong."""

import json
import math
from collections.abc import Sequence

import msgspec

from trivium.store import ordinal
from trivium.watch import Finding

from .recompute import Token


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """The trained tokens of one step that one policy sampled in one role under one weights id."""

    step: int
    policy: str
    role: str
    weights: str
    episodes: int
    tokens: int
    mean_logprob: float
    computed: int
    """Tokens whose log-prob was computed again."""
    largest_gap: float | None
    """max |again - sampled|; None where nothing was computed again."""


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found; clean when it has no findings."""

    run: str
    steps: int
    lines: tuple[Line, ...]
    counts: dict[str, int]
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """True when nothing is wrong."""
        return not self.findings

    def text(self) -> str:
        """`audit.json`."""
        return json.dumps({"clean": self.clean, **msgspec.to_builtins(self)}, indent=1, allow_nan=False) + "\n"

    def verdict(self) -> str:
        """The result in one sentence."""
        trained = sum(line.tokens for line in self.lines)
        computed = sum(line.computed for line in self.lines)
        gaps = [line.largest_gap for line in self.lines if line.largest_gap is not None]
        wrong = f"{len(self.findings)} findings" if self.findings else "clean"
        again = f"{computed} of them computed again" + (f", at most {max(gaps):.1e} apart" if gaps else "")
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        return f"{wrong}: {steps}, {trained} trained tokens, {again}"

    def page(self) -> str:
        """`audit.md`: the same, to read."""
        head = "| step | sampled by | weights | episodes | tokens | mean log-prob | computed again | largest gap |"
        rows = [f"| {' | '.join(cells(line))} |" for line in self.lines]
        findings = [f"- **{found.kind}**, {found.where}: {found.text}" for found in self.findings]
        counts = [f"- {count} {what}" for what, count in self.counts.items()]
        parts = [f"# Audit of {self.run}", "", f"{self.verdict()}.", "", *findings, "", head, "|---" * 8 + "|", *rows]
        return "\n".join([*parts, "", *counts, ""])


def cells(line: Line) -> tuple[str, ...]:
    """A line as people read it."""
    gap = "-" if line.largest_gap is None else f"{line.largest_gap:.1e}"
    numbers = (line.episodes, line.tokens, f"{line.mean_logprob:.3f}", line.computed, gap)
    return (str(ordinal(line.step)), f"{line.policy} ({line.role})", line.weights[:12], *map(str, numbers))


def lines_of(step: int, tokens: Sequence[Token]) -> list[Line]:
    """Fold the tokens of a step."""
    groups: dict[tuple[str, str, str], list[Token]] = {}
    for token in tokens:
        groups.setdefault((token.policy, token.role, token.weights), []).append(token)
    return [_line(step, *key, group) for key, group in groups.items()]


def _line(step: int, policy: str, role: str, weights: str, tokens: Sequence[Token]) -> Line:
    gaps = [token.gap for token in tokens if token.again is not None]
    return Line(
        step=step,
        policy=policy,
        role=role,
        weights=weights,
        episodes=len({token.episode for token in tokens}),
        tokens=len(tokens),
        mean_logprob=math.fsum(token.logprob for token in tokens) / len(tokens),
        computed=len(gaps),
        largest_gap=max(gaps, default=None),
    )
